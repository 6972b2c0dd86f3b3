import { quietPort } from '../quiet-port.ts'
import { postgresBinaries } from './binaries.ts'
import { initializeCluster, type Place, startPostmaster } from './postmaster.ts'
import { query } from './query.ts'
import type { SupervisedProcess } from './supervised-process.ts'
import { openUnprivilegedFolder, reachable } from './unprivileged-account.ts'

/** A PostgreSQL on this machine, and who may log in. */
export type Server = {
  readonly port: number
  /** Where its unix socket is. */
  readonly folder: string
  readonly superuserPassword: string
  /** Of the role `alibi`, which may nothing but log in and what it owns. */
  readonly rolePassword: string
}

/** The role that a service logs in with. */
export const ROLE = 'alibi'

export type Settings = Readonly<Record<string, string>>

/** What every server of the tests has, unless it is told otherwise. */
const COMMON_SETTINGS = {
  shared_buffers: '64MB',
  jit: 'off',
  // Its segments go away with the folder, even after a SIGKILL.
  dynamic_shared_memory_type: 'mmap',
  // One that no computation gets right by chance.
  timezone: 'Asia/Kathmandu',
}
/** Nothing of it has to outlive a crash. */
const SHARED_SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300' }

/** Starts one that many tests share. It is stopped when it is disposed of, or when this process is gone. */
export async function startServer(): Promise<Server & AsyncDisposable> {
  const { server, postmaster, dispose } = await makeServer({ settings: SHARED_SETTINGS })
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await postmaster.stop('QUIT')
      dispose()
    },
  }
}

/** Makes one and starts it. */
export async function makeServer({
  settings,
  binaries = postgresBinaries(),
  prepare = async () => ({}),
}: {
  settings: Settings
  binaries?: string | null
  /** Puts what the server needs into its folder, and gives the settings that name it. */
  prepare?: (folder: string) => Promise<Settings>
}) {
  if (binaries === null) throw new Error('this machine has no PostgreSQL')
  const folder = openUnprivilegedFolder()
  const dispose = () => folder[Symbol.dispose]()
  try {
    const place: Place = { binaries: reachable(binaries, folder.path), folder: folder.path }
    const server = {
      port: await quietPort(),
      folder: folder.path,
      superuserPassword: inventedPassword(),
      rolePassword: inventedPassword(),
    }
    await initializeCluster(place, server)
    const own = { ...settings, ...(await prepare(folder.path)) }
    const all = { ...COMMON_SETTINGS, ...addressSettings(server), ...own }
    const postmaster: SupervisedProcess = await startPostmaster(place, all)
    const password = server.rolePassword.replaceAll("'", "''")
    await query(
      superuserUrl(server, 'postgres'),
      `CREATE ROLE ${ROLE} LOGIN PASSWORD '${password}'`,
    )
    return { server, place, settings: all, postmaster, dispose }
  } catch (error) {
    dispose()
    throw error
  }
}

/** Where it listens: on this machine only. */
export function addressSettings({ folder, port }: { folder: string; port: number }): Settings {
  return {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
  }
}

/** The URL of a database for the role `alibi`. */
export function roleUrl(server: Pick<Server, 'port' | 'rolePassword'>, database: string): string {
  return urlOf(ROLE, server.rolePassword, server.port, database)
}

export function superuserUrl(
  server: Pick<Server, 'port' | 'superuserPassword'>,
  database: string,
): string {
  return urlOf('postgres', server.superuserPassword, server.port, database)
}

function urlOf(user: string, password: string, port: number, database: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}

/** With characters that mean something in a URL. */
function inventedPassword(): string {
  return `a/b?c@d:e f%25#${Bun.randomUUIDv7()}`
}
