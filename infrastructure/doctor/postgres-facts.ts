import type { Client } from 'pg'
import type { PostgresContent } from '../../application/doctor/postgres/check-postgres.ts'
import type { ConnectionLimit } from '../../application/doctor/postgres/connections.ts'
import type { DurabilityFacts } from '../../application/doctor/postgres/durability.ts'
import type { RightsFacts } from '../../application/doctor/postgres/rights.ts'
import type { AppliedMigration } from '../database/migration-history.ts'

type State = Pick<PostgresContent, 'bytes' | 'encoding' | 'isStandby' | 'isReadOnly'> & {
  /** Whether the schema has tables of these names. */
  readonly hasTables: boolean
}

/** The questions to a server, a statement each. All of them are answered to a role without rights of its own. */
export function postgresFacts(client: Client) {
  async function readRow<Row>(text: string, values: readonly unknown[] = []): Promise<Row> {
    const { rows } = await client.query(text, [...values])
    return rows[0] as Row
  }

  return {
    readVersion: () =>
      readRow<{ version: string; versionNumber: number; backendId: number }>(VERSION),
    readTime: async () => (await readRow<{ now: Date }>('SELECT clock_timestamp() AS now')).now,
    readState: (tables: readonly string[]) => readRow<State>(STATE, [tables]),
    async readHistory(): Promise<readonly AppliedMigration[] | null | 'unreadable'> {
      const { exists, mayRead } = await readRow<{ exists: boolean; mayRead: boolean }>(HISTORY)
      if (!exists) return null
      if (!mayRead) return 'unreadable'
      const text = 'SELECT name, sha256 FROM schema_migrations ORDER BY name'
      return (await client.query<AppliedMigration>(text)).rows
    },
    async readRights(tables: readonly string[]): Promise<RightsFacts> {
      type TableRights = { table: string; rights: string[]; isForeign: boolean }
      const role = await readRow<Omit<RightsFacts, 'lacking' | 'foreignTables'>>(ROLE)
      const { rows } = await client.query<TableRights>(TABLE_RIGHTS, [tables])
      return {
        ...role,
        lacking: rows
          .filter(({ rights }) => rights.length > 0)
          .map(({ table, rights }) => ({ table, rights })),
        foreignTables: rows.filter(({ isForeign }) => isForeign).map(({ table }) => table),
      }
    },
    async readConnectionLimits(): Promise<readonly ConnectionLimit[]> {
      const { rows } = await client.query<ConnectionLimit>(CONNECTION_LIMITS)
      return rows
    },
    async readDurability(): Promise<DurabilityFacts> {
      const settings = await readRow<Omit<DurabilityFacts, 'standbys'>>(DURABILITY)
      const { rows: standbys } = await client.query<DurabilityFacts['standbys'][number]>(STANDBYS)
      return { ...settings, standbys }
    },
    readArchive: () => readRow<PostgresContent['archive']>(ARCHIVE),
  }
}

const VERSION = `SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::integer AS "versionNumber", pg_backend_pid() AS "backendId"`

const OWN_TABLES = `pg_class c
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN ('r', 'p')`

const STATE = `SELECT pg_database_size(current_database())::float8 AS bytes,
  current_setting('server_encoding') AS encoding,
  pg_is_in_recovery() AS "isStandby",
  current_setting('default_transaction_read_only') = 'on' AS "isReadOnly",
  EXISTS (SELECT FROM ${OWN_TABLES} AND c.relname = ANY($1)) AS "hasTables"`

const HISTORY = `SELECT to_regclass('schema_migrations') IS NOT NULL AS exists,
  coalesce(has_table_privilege(to_regclass('schema_migrations'), 'SELECT'), false) AS "mayRead"`

const ROLE = `SELECT rolname AS role, rolsuper AS "isSuperuser", current_schema() AS schema,
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate"
  FROM pg_roles WHERE rolname = current_user`

const TABLE_RIGHTS = `SELECT c.relname AS table,
  ARRAY(
    SELECT wanted FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS wanted
    WHERE NOT has_table_privilege(c.oid, wanted)
  ) AS rights,
  NOT pg_has_role(c.relowner, 'USAGE') AS "isForeign"
  FROM ${OWN_TABLES} AND c.relname = ANY($1) ORDER BY c.relname`

/** Connections of other roles are counted, but what they are is not told to everybody. A limit of -1 is none. */
const CONNECTION_LIMITS = `WITH own AS (
    SELECT datname = current_database() AND application_name = current_setting('application_name') AS "isAlibi"
    FROM pg_stat_activity WHERE usename = current_user
  ), counted AS (
    SELECT (SELECT count(*) FROM own WHERE "isAlibi")::integer AS alibi,
      (SELECT count(*) FROM own)::integer AS role,
      (SELECT sum(numbackends) FROM pg_stat_database)::integer AS server,
      (SELECT numbackends FROM pg_stat_database WHERE datname = current_database()) AS database
  )
  SELECT 'max_connections' AS setting,
    current_setting('max_connections')::integer
      - current_setting('superuser_reserved_connections')::integer
      - coalesce(current_setting('reserved_connections', true), '0')::integer AS connections,
    greatest(server - alibi, 0) AS "othersOpen"
  FROM counted
  UNION ALL
  SELECT 'the limit of the database', datconnlimit, greatest(database - alibi, 0)
  FROM counted, pg_database WHERE datname = current_database() AND datconnlimit >= 0
  UNION ALL
  SELECT 'the limit of the role', rolconnlimit, greatest(role - alibi, 0)
  FROM counted, pg_roles WHERE rolname = current_user AND rolconnlimit >= 0 AND NOT rolsuper`

const DURABILITY = `SELECT current_setting('fsync') = 'on' AS fsync,
  current_setting('full_page_writes') = 'on' AS "fullPageWrites",
  current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('synchronous_standby_names') <> '' AS "namesSynchronous"`

/** Of a standby, a role without pg_read_all_stats sees only that it is there. */
const STANDBYS = `SELECT sync_state IN ('sync', 'quorum') AS "isSynchronous",
  CASE WHEN NOT pg_is_in_recovery()
    THEN pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 END AS "behindBytes"
  FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'`

const ARCHIVE = `SELECT current_setting('archive_mode') <> 'off' AS "isOn",
  coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS "isFailing",
  (extract(epoch FROM clock_timestamp() - last_archived_time) * 1000)::float8 AS "lastMs"
  FROM pg_stat_archiver`
