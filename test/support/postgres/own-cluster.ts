import { onTestFinished } from 'bun:test'
import { join } from 'node:path'
import { until } from '../executable/until.ts'
import { quietPort } from '../quiet-port.ts'
import { copyRunningCluster } from './base-backup.ts'
import { AUTHORITY, makeCertificates, OTHER_AUTHORITY } from './certificates.ts'
import { dataOf, killPostmaster, type Place, startPostmaster } from './postmaster.ts'
import { query } from './query.ts'
import {
  addressSettings,
  makeServer,
  ROLE,
  roleUrl,
  type Server,
  type Settings,
  superuserUrl,
} from './server.ts'
import { readLog, type SupervisedProcess } from './supervised-process.ts'
import { openUnprivilegedFolder, writeOwned } from './unprivileged-account.ts'

/** A PostgreSQL of one test, which may be stopped, killed and started again. */
export type OwnCluster = Server & {
  /** Of the database `alibi`, which the role `alibi` owns. */
  readonly url: string
  /** Of the same database. */
  readonly superuserUrl: string
  /** The certificates of the authority that has signed the server's, and of another one. Null without TLS. */
  readonly authorities: { readonly right: string; readonly wrong: string } | null
  /** All that it has written. */
  readonly log: () => string
  /** Starts it where it was before. The settings are added to those that it has. */
  start(settings?: Settings): Promise<void>
  /** Stops it: `fast` ends transactions and connections, `immediate` leaves the rest to recovery. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  /** Kills it and all its processes. */
  kill(): Promise<void>
  restart(settings?: Settings): Promise<void>
  /** Ends all connections of clients, and says how many. */
  terminateBackends(): Promise<number>
  /** Makes a standby that follows it; where that is synchronous, nothing is committed any more without it. */
  makeStandby(options?: { synchronous?: boolean }): Promise<OwnCluster>
  /** Of a standby: makes a server of its own of it. */
  promote(): Promise<void>
}

export type OwnClusterOptions = {
  /**
   * Whether a commit waits for the disk, as in production. Without it, which is several times as fast, a kill loses
   * nothing either: the system has what was written. Only a power cut would.
   */
  readonly fsync?: boolean
  readonly settings?: Settings
  /** The host that its certificate names; without it there is no TLS. The server is at `localhost`. */
  readonly tls?: string
  /** Where the programs are, if not where those of other servers are. */
  readonly binaries?: string
}

/** A PostgreSQL of the test that asks for it. */
export async function ownCluster(options: OwnClusterOptions = {}): Promise<OwnCluster> {
  const cluster = await openOwnCluster(options)
  onTestFinished(() => cluster[Symbol.asyncDispose]())
  return cluster
}

/** A PostgreSQL until it is disposed of, together with its standbys. */
export async function openOwnCluster({
  fsync = false,
  settings = {},
  tls,
  binaries,
}: OwnClusterOptions = {}): Promise<OwnCluster & AsyncDisposable> {
  const made = await makeServer({
    settings: { fsync: fsync ? 'on' : 'off', ...settings },
    ...(binaries === undefined ? {} : { binaries }),
    ...(tls === undefined ? {} : { prepare: (folder) => makeCertificates(folder, tls) }),
  })
  await query(superuserUrl(made.server, 'postgres'), `CREATE DATABASE ${ROLE} OWNER ${ROLE}`)
  return clusterOf({ ...made, hasTls: tls !== undefined })
}

type Made = {
  readonly server: Server
  readonly place: Place
  readonly settings: Settings
  readonly postmaster: SupervisedProcess
  readonly hasTls: boolean
  readonly dispose: () => void
}

function clusterOf(made: Made): OwnCluster & AsyncDisposable {
  const { server, place } = made
  const administration = superuserUrl(server, 'postgres')
  const standbys: AsyncDisposable[] = []
  let settings = made.settings
  let running: SupervisedProcess | null = made.postmaster

  async function start(added: Settings = {}): Promise<void> {
    settings = { ...settings, ...added }
    running = await startPostmaster(place, settings)
  }

  async function stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await running?.stop(mode === 'fast' ? 'INT' : 'QUIT')
    running = null
  }

  return {
    ...server,
    url: roleUrl(server, ROLE),
    superuserUrl: superuserUrl(server, ROLE),
    authorities: made.hasTls
      ? { right: join(place.folder, AUTHORITY), wrong: join(place.folder, OTHER_AUTHORITY) }
      : null,
    log: () => readLog(place.folder),
    start,
    stop,
    async kill() {
      if (running) await killPostmaster(place, running)
      running = null
    },
    async restart(added) {
      await stop()
      await start(added)
    },
    async terminateBackends() {
      const ended = await query(
        administration,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      )
      return ended.length
    },
    async makeStandby({ synchronous = false } = {}) {
      const standby = await makeStandbyOf(made, settings)
      standbys.push(standby)
      if (synchronous) await waitForStandbys(administration)
      return standby
    },
    async promote() {
      await query(administration, 'SELECT pg_promote()')
    },
    async [Symbol.asyncDispose]() {
      await stop('immediate')
      for (const standby of standbys) await standby[Symbol.asyncDispose]()
      made.dispose()
    },
  }
}

/** A copy of the cluster that follows it, of which nothing is lost that it has not got yet. */
async function makeStandbyOf(
  { server, place, hasTls }: Made,
  settings: Settings,
): Promise<OwnCluster & AsyncDisposable> {
  const administration = superuserUrl(server, 'postgres')
  const folder = openUnprivilegedFolder()
  const standby = { ...server, port: await quietPort(), folder: folder.path }
  const slot = `standby_${standby.port}`
  await query(administration, `SELECT pg_create_physical_replication_slot('${slot}', true)`)
  const data = dataOf(folder.path)
  await copyRunningCluster(administration, { from: dataOf(place.folder), to: data })
  writeOwned(join(data, 'standby.signal'), '')

  const own = { ...place, folder: folder.path }
  const all = {
    ...settings,
    ...addressSettings(standby),
    primary_slot_name: slot,
    primary_conninfo: `host=127.0.0.1 port=${server.port} user=postgres password='${server.superuserPassword}'`,
  }
  const postmaster = await startPostmaster(own, all)
  const follows = `SELECT FROM pg_replication_slots WHERE slot_name = '${slot}' AND active`
  await until('the standby follows', async () => (await query(administration, follows)).length > 0)
  const dispose = () => folder[Symbol.dispose]()
  return clusterOf({ server: standby, place: own, settings: all, postmaster, hasTls, dispose })
}

/** From now on no commit is acknowledged that no standby has written. */
async function waitForStandbys(administration: string): Promise<void> {
  await query(administration, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await query(administration, 'SELECT pg_reload_conf()')
  const following = `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`
  await until('a standby is synchronous', async () => {
    return (await query(administration, following)).length > 0
  })
}
