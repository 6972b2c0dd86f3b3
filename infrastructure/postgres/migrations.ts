import type { Client } from 'pg'
import {
  type AppliedMigration,
  comparePending,
  hashOf,
  type Migration,
  newestOf,
} from '../database/migration-history.ts'
import { IncompatibleDatabase, OutdatedDatabase } from '../database/outage.ts'
import init from './migrations/0001_init.sql' with { type: 'text' }
import rateLimits from './migrations/0002_rate_limits.sql' with { type: 'text' }
import leases from './migrations/0003_leases.sql' with { type: 'text' }
import takeRateLimits from './migrations/0004_take_rate_limits.sql' with { type: 'text' }
import leastAmount from './migrations/0005_least_amount.sql' with { type: 'text' }
import mailsByAsker from './migrations/0006_mails_by_asker.sql' with { type: 'text' }

/** In the order in which they are applied. A released one never changes. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001_init', sql: init },
  { name: '0002_rate_limits', sql: rateLimits },
  { name: '0003_leases', sql: leases },
  { name: '0004_take_rate_limits', sql: takeRateLimits },
  { name: '0005_least_amount', sql: leastAmount },
  { name: '0006_mails_by_asker', sql: mailsByAsker },
]

const SUBJECT = 'the database at DATABASE_URL'
const VERSION_MIN = 150_000
/** What becomes of the slower one of two that create the same table: its name, its type or itself is there already. */
const CREATED_BY_ANOTHER: readonly unknown[] = ['23505', '42710', '42P07']
const TRIES_MAX = 10

/** The row is locked by the transaction that migrates. */
const CREATE_HISTORY = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    sha256 text COLLATE "C" NOT NULL,
    applied_at timestamptz(3) NOT NULL
  );
  CREATE TABLE IF NOT EXISTS migration_lock (id integer NOT NULL PRIMARY KEY CHECK (id = 1));
  INSERT INTO migration_lock (id) VALUES (1) ON CONFLICT DO NOTHING`

export const LOCK_MIGRATIONS = 'SELECT FROM migration_lock WHERE id = 1 FOR UPDATE'
/** Fails with 55P03 while somebody migrates, or copies the database. */
export const LOCK_OUT_MIGRATIONS = 'SELECT FROM migration_lock WHERE id = 1 FOR SHARE NOWAIT'

/**
 * Applies the migrations that the database lacks, each whole or not at all, and returns the names of those it applied
 * itself. Several processes may do it at once: one does, and the others wait for it. Throws `IncompatibleDatabase` for
 * a database that a newer executable has migrated, or one whose migrations are not those of this executable.
 */
export async function applyMigrations(
  client: Client,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  // Most starts end here, without waiting for another process that is migrating.
  const pending = await findPending(client, migrations)
  if (pending.length === 0) return []

  await createHistory(client)
  const applied: string[] = []
  for (const migration of pending) {
    if (await applyOnce(client, migrations, migration)) applied.push(migration.name)
  }
  return applied
}

/**
 * As `applyMigrations`, for a process that must not change the tables under a service that runs: where a migration is
 * lacking, it throws `OutdatedDatabase`.
 */
export async function refuseOutdated(
  client: Client,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  const [pending] = await findPending(client, migrations)
  if (!pending) return []
  throw new OutdatedDatabase(
    `${SUBJECT} lacks the migration ${pending.name}: start the service, or run "alibi migrate"`,
  )
}

/** The newest migration that the database has. */
export async function schemaVersion(client: Client): Promise<string> {
  return newestOf(await readHistory(client))
}

/** The migrations that the database has, by name. Empty for a database that is not one of Alibi's. */
export async function readHistory(client: Client): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('schema_migrations') IS NOT NULL AS exists",
  )
  if (!rows[0]?.exists) return []
  const history = await client.query<AppliedMigration>(
    'SELECT name, sha256 FROM schema_migrations ORDER BY name',
  )
  return history.rows
}

/** Throws `IncompatibleDatabase` for a server that is too old. */
export async function assertUsable(client: Client): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
  const { rows: numbers } = await client.query<{ server_version_num: string }>(
    'SHOW server_version_num',
  )
  if (Number(numbers[0]?.server_version_num) >= VERSION_MIN) return
  throw new IncompatibleDatabase(
    `${SUBJECT} is PostgreSQL ${rows[0]?.server_version}: 15 or later is needed`,
  )
}

/** The migrations that the database lacks, in order. Throws as `applyMigrations` does. */
export async function findPending(
  client: Client,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly Migration[]> {
  const history = await readHistory(client)
  return comparePending(history, migrations, { subject: SUBJECT, findBackup: () => null })
}

/** PostgreSQL lets one of two processes fail that create the same table at the same time. */
async function createHistory(client: Client): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.query(CREATE_HISTORY)
      return
    } catch (error) {
      const isRace =
        error instanceof Error && 'code' in error && CREATED_BY_ANOTHER.includes(error.code)
      if (!isRace || tries === TRIES_MAX) throw error
    }
  }
}

async function applyOnce(
  client: Client,
  migrations: readonly Migration[],
  migration: Migration,
): Promise<boolean> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  try {
    await client.query(LOCK_MIGRATIONS)
    // Only now is it certain that no other process applies it.
    const isMissing = (await findPending(client, migrations)).includes(migration)
    if (isMissing) {
      await client.query(migration.sql)
      await client.query(
        'INSERT INTO schema_migrations (name, sha256, applied_at) VALUES ($1, $2, clock_timestamp())',
        [migration.name, hashOf(migration)],
      )
    }
    await client.query('COMMIT')
    return isMissing
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
