import { Client } from 'pg'
import { freePort } from '../executable/reverse-proxies.ts'
import { postgresBinaries } from './binaries.ts'
import { initializeCluster, startPostmaster } from './postmaster.ts'
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
const SUPERUSER = 'postgres'

/** Nothing of it has to outlive a crash, and the time zone is one that nobody's computation gets right by chance. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '64MB',
  jit: 'off',
  timezone: 'Asia/Kathmandu',
}

/** Starts one. It is stopped when it is disposed of, or when this process is gone. */
export async function startServer(
  binaries = postgresBinaries(),
): Promise<Server & AsyncDisposable> {
  if (binaries === null) throw new Error('this machine has no PostgreSQL')
  const folder = openUnprivilegedFolder()
  const place = { binaries: reachable(binaries, folder.path), folder: folder.path }
  const [superuserPassword, rolePassword] = [inventedPassword(), inventedPassword()]
  await initializeCluster(place, { superuserPassword, sync: false })
  const port = await freePort()
  const postmaster = await startPostmaster(place, {
    ...SETTINGS,
    ...addressSettings(place.folder, port),
  })
  const server = { port, folder: folder.path, superuserPassword, rolePassword }
  await makeRole(server)
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await postmaster.stop('QUIT')
      folder[Symbol.dispose]()
    },
  }
}

/** Where it listens: on this machine only. */
export function addressSettings(folder: string, port: number): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
    // Its segments then go away with the folder, even after a SIGKILL.
    dynamic_shared_memory_type: 'mmap',
  }
}

/** With characters that mean something in a URL. */
export function inventedPassword(): string {
  return `a/b?c@d:e f%25#${Bun.randomUUIDv7()}`
}

/** The URL of a database for the role `alibi`. */
export function roleUrl({ port, rolePassword }: Server, database: string): string {
  return urlOf(ROLE, rolePassword, port, database)
}

export function superuserUrl({ port, superuserPassword }: Server, database: string): string {
  return urlOf(SUPERUSER, superuserPassword, port, database)
}

function urlOf(user: string, password: string, port: number, database: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}

async function makeRole(server: Server): Promise<void> {
  const client = new Client({ connectionString: superuserUrl(server, 'postgres') })
  await client.connect()
  await client.query(
    `CREATE ROLE ${ROLE} LOGIN PASSWORD ${client.escapeLiteral(server.rolePassword)}`,
  )
  await client.end()
}
