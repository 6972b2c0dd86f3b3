import { type Finding, findingsOn, made } from '../../application/doctor/finding.ts'
import { reasonOf } from '../../application/error-report.ts'
import { formatBytes } from '../../application/format.ts'
import type { Clock } from '../../application/ports.ts'
import type { Replica } from '../../application/upkeep/replicas.ts'
import { SECOND_MS } from '../../domain/duration.ts'
import { isLoopback } from '../../domain/ip-address.ts'
import type { PostgresConfig } from '../config/database-settings.ts'
import { isSocketFolder } from '../config/postgres-url.ts'
import { IncompatibleDatabase, OutdatedDatabase } from '../database/outage.ts'
import type { PostgresDatabase } from '../postgres/connection/database.ts'
import { isLeaseHeld } from '../postgres/leases.ts'
import { MIGRATIONS } from '../postgres/migrations.ts'
import { type OpenPostgres, openPostgresDatabase } from '../postgres/open.ts'
import { postgresPurchaseRepository } from '../postgres/purchase-repository.ts'
import { findLiveReplicas } from '../postgres/replicas.ts'
import { NO_TELEMETRY } from '../telemetry/instrumented.ts'
import { checkWaitingWork } from './waiting-work.ts'

/** The subjects of the findings. */
export const POSTGRES_SUBJECTS = [
  'database',
  'tls',
  'rights',
  'database clock',
  'replicas',
  'durability',
  'replication',
  'backups',
  'purchases',
  'outbox',
] as const

const TIMEOUT_MS = 8 * SECOND_MS
const READINGS = 3
const FAR_MS = 20
const CLOCK_WARNING_MS = 5 * SECOND_MS
const CLOCK_FAILED_MS = 60 * SECOND_MS
/** A commit waits for no standby under these. */
const LOCAL_COMMITS = ['off', 'local']

/** The names of Alibi's tables, those of its migrations too. */
export const TABLES: readonly string[] = [
  'schema_migrations',
  'migration_lock',
  ...MIGRATIONS.flatMap(({ sql }) =>
    Array.from(sql.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm), ([, name = '']) => name),
  ),
]

/** What a server says of itself to a role without rights of its own. */
const SERVER = `SELECT current_setting('server_version') AS version,
  pg_database_size(current_database())::float8 AS bytes,
  (SELECT max(name) FROM schema_migrations) AS schema,
  pg_is_in_recovery() AS "isStandby",
  rolname AS role, rolsuper AS "isSuperuser",
  ARRAY(
    SELECT relname::text FROM pg_class
    WHERE relnamespace = to_regnamespace(quote_ident(current_schema())) AND relname = ANY($1)
      AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
        AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
  ) AS lacking,
  current_setting('fsync') = 'on' AS fsync,
  current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('synchronous_standby_names') <> '' AS "namesSynchronous",
  standbys.*
  FROM pg_roles, (
    SELECT count(*)::integer AS standbys,
      coalesce(bool_or(coalesce(sync_state, 'sync') IN ('sync', 'quorum')), false) AS "hasSynchronous"
    FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'
  ) AS standbys
  WHERE rolname = current_user`

type Server = {
  readonly version: string
  readonly bytes: number
  /** The newest migration that it has. */
  readonly schema: string
  readonly isStandby: boolean
  readonly role: string
  readonly isSuperuser: boolean
  /** The tables that the role cannot use as the service has to. */
  readonly lacking: readonly string[]
  readonly fsync: boolean
  /** As this role gets it. */
  readonly synchronousCommit: string
  /** Whether `synchronous_standby_names` names any. */
  readonly namesSynchronous: boolean
  /** How many are connected, archiving tools too. */
  readonly standbys: number
  /** Whether one of them is, or may be: only a role with pg_read_all_stats sees more than that it is there. */
  readonly hasSynchronous: boolean
}

/** Whether the way to it leaves this machine. */
export function isRemote({ host }: PostgresConfig): boolean {
  return !isSocketFolder(host) && !isLoopback(host)
}

/** Opens the database as the service does, and looks at it. Changes nothing, and never throws. */
export async function checkPostgres(
  config: PostgresConfig,
  { clock, monotonicMs }: { clock: Clock; monotonicMs: () => number },
): Promise<readonly Finding[]> {
  const { failed, warning } = findingsOn('database')
  const timeoutMs = Math.min(config.timeoutMs, TIMEOUT_MS)
  const around = { isUpToDate: true, telemetry: NO_TELEMETRY, monotonicMs, machine: clock }
  let opened: OpenPostgres | null = null
  try {
    opened = await openPostgresDatabase({ ...config, timeoutMs }, around)
    return await look(opened, config, monotonicMs)
  } catch (error) {
    if (error instanceof OutdatedDatabase) {
      return [warning(error.message, 'start the service, or run "alibi migrate"')]
    }
    const advice =
      error instanceof IncompatibleDatabase
        ? 'look at DATABASE_URL, and at the versions of the server and of this executable'
        : 'look at DATABASE_URL, at the log of the server, and whether a firewall lets this machine in'
    return [failed(reasonOf(error), advice)]
  } finally {
    opened?.database.close()
  }
}

async function look(
  { database, time }: OpenPostgres,
  config: PostgresConfig,
  monotonicMs: () => number,
): Promise<readonly Finding[]> {
  const { query } = database
  let roundTripMs = Infinity
  for (let reading = 0; reading < READINGS; reading++) {
    const askedMs = monotonicMs()
    await query('SELECT')
    roundTripMs = Math.min(roundTripMs, monotonicMs() - askedMs)
  }
  const { machineAheadMs } = await time.measure()
  const [server] = await query<Server>(SERVER, [TABLES])
  if (!server) throw new Error('the database does not know its own role')
  const found = [
    ...checkServer(config, server, roundTripMs),
    ...checkTls(config),
    ...checkRights(server),
    checkClock(machineAheadMs, roundTripMs),
  ]
  if (server.isStandby || server.lacking.length > 0) return found
  const purchases = postgresPurchaseRepository(database)
  return [
    ...found,
    ...(await checkReplicas(database)),
    ...checkDurability(server),
    checkReplication(server),
    findingsOn('backups').skipped(
      "they are yours to make, by PostgreSQL's own tools, and cannot be seen from here",
    ),
    ...(await checkWaitingWork({ query, purchases, now: time.clock.now() })),
  ]
}

function checkServer(
  { shownUrl }: PostgresConfig,
  { version, bytes, schema, isStandby }: Server,
  roundTripMs: number,
): readonly Finding[] {
  const { ok, warning, failed } = findingsOn('database')
  const trip = `${roundTripMs.toFixed(roundTripMs < 10 ? 1 : 0)} ms`
  if (isStandby) {
    return [
      failed(
        `${shownUrl} is a standby, which takes no writes`,
        'let DATABASE_URL name the primary, or an address that follows it at a failover',
      ),
    ]
  }
  return made(
    roundTripMs >= FAR_MS &&
      warning(
        `${shownUrl} is far away: a round trip takes ${trip}, and requests take several`,
        'run the service in the region of its database, or look at the network between them',
      ),
    ok(`${shownUrl}, PostgreSQL ${version}, ${formatBytes(bytes)}, schema ${schema}, ${trip} away`),
  )
}

function checkTls(config: PostgresConfig): readonly Finding[] {
  const { mode, rootCertificate } = config.tls
  if (!isRemote(config) || mode.startsWith('verify-') || rootCertificate !== null) return []
  return [
    findingsOn('tls').warning(
      `sslmode is ${mode}: whoever is on the way to the database can stand in for it`,
      'add sslmode=verify-full to DATABASE_URL, and sslrootcert where the authority is your own',
    ),
  ]
}

function checkRights({ role, isSuperuser, lacking }: Server): readonly Finding[] {
  const { warning, failed } = findingsOn('rights')
  return made(
    lacking.length > 0 &&
      failed(
        `${role} may not read and write ${lacking.join(', ')}`,
        `let ${role} own the schema and all in it, or GRANT it SELECT, INSERT, UPDATE and DELETE`,
      ),
    isSuperuser &&
      warning(
        `${role} is a superuser: whoever gets DATABASE_URL has the whole server`,
        'give the service a role of its own, which owns its schema and nothing else',
      ),
  )
}

/** Every replica goes by the database's clock, for Stripe's signatures and tokens too. */
function checkClock(aheadMs: number, roundTripMs: number): Finding {
  const { ok, warning, failed } = findingsOn('database clock')
  const offMs = Math.abs(aheadMs)
  // Where in the round trip the database looked at its clock is not known.
  if (offMs <= Math.max(SECOND_MS, roundTripMs)) return ok('right, as this machine tells the time')
  const off = `${Math.round(offMs / SECOND_MS)} s ${aheadMs > 0 ? 'behind' : 'ahead of'} this machine's`
  const advice = "let both be synchronised, such as by chrony: the service goes by the database's"
  if (offMs >= CLOCK_FAILED_MS) return failed(off, advice)
  return offMs >= CLOCK_WARNING_MS ? warning(off, advice) : ok(off)
}

/** How many processes serve on the database, whether they are of one release, and whether one leads. */
async function checkReplicas(database: PostgresDatabase): Promise<readonly Finding[]> {
  const { ok, skipped, warning } = findingsOn('replicas')
  const live = await findLiveReplicas(database)
  const [first] = live
  if (!first) return [skipped('none serves on the database')]

  const count = `${live.length} ${live.length === 1 ? 'serves' : 'serve'} on the database`
  const isOneRelease = live.every(({ version }) => version === first.version)
  return made(
    isOneRelease
      ? ok(`${count}, version ${first.version}`)
      : warning(
          `${count}, of different versions: ${countVersions(live)}`,
          'upgrade the others, too: an older one that ends does not start again',
        ),
    !(await isLeaseHeld(database)) &&
      warning(
        'none works in the background: no mails about payments, no questions to Stripe',
        'look again in a minute; if it stays so, look in the logs for "task":"leadership"',
      ),
  )
}

function countVersions(replicas: readonly Replica[]): string {
  const versions = Map.groupBy(replicas, ({ version }) => version)
  return [...versions].map(([version, { length }]) => `${version} (${length})`).join(', ')
}

/** What becomes of a commit that was acknowledged. */
function checkDurability({ fsync, synchronousCommit }: Server): readonly Finding[] {
  const { failed } = findingsOn('durability')
  return made(
    !fsync &&
      failed(
        'fsync is off: when the server or its machine crashes, the database is lost',
        'ALTER SYSTEM SET fsync = on, and SELECT pg_reload_conf()',
      ),
    synchronousCommit === 'off' &&
      failed(
        'synchronous_commit is off: a crash loses payments, codes and log-outs that were acknowledged',
        'set it to on for the role, the database and the server',
      ),
  )
}

/** A failover keeps what was acknowledged only where a standby had it by then. */
function checkReplication({
  synchronousCommit,
  namesSynchronous,
  standbys,
  hasSynchronous,
}: Server): Finding {
  const { ok, skipped, warning, failed } = findingsOn('replication')
  const isLocal = LOCAL_COMMITS.includes(synchronousCommit)
  const waits = namesSynchronous && !isLocal
  if (waits && !hasSynchronous) {
    return failed(
      'every commit waits for a synchronous standby, and none is connected',
      'start the standby, or take its name out of synchronous_standby_names',
    )
  }
  if (standbys === 0) {
    return skipped('no standby is connected; what a provider copies by itself cannot be seen')
  }
  const count = standbys === 1 ? '1 standby' : `${standbys} standbys`
  const reason = isLocal
    ? `synchronous_commit is ${synchronousCommit}`
    : 'synchronous_standby_names is empty'
  if (waits) return ok(`${count}, and commits wait for a synchronous one`)
  return warning(
    `${count}, and commits wait for none (${reason}): a failover can lose payments, codes and log-outs that were acknowledged`,
    "set synchronous_standby_names, such as to 'ANY 1 (*)', and synchronous_commit to on",
  )
}
