import { onTestFinished } from 'bun:test'
import { Client } from 'pg'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import {
  openPostgres,
  type PostgresDatabase,
} from '../../../infrastructure/postgres/connection/database.ts'
import {
  type TimeBudget,
  timeBudget,
} from '../../../infrastructure/postgres/connection/time-budget.ts'
import { applyMigrations } from '../../../infrastructure/postgres/migrations.ts'
import { postgresStore } from '../../../infrastructure/postgres/store.ts'
import { NO_TELEMETRY } from '../../../infrastructure/telemetry/instrumented.ts'
import { PATIENCE_MS } from '../patience.ts'
import {
  type DatabaseTemplate,
  type FreshDatabase,
  openFreshDatabase,
} from '../postgres/fresh-database.ts'

/** A database with the schema of the executable. */
export const MIGRATED: DatabaseTemplate = {
  name: 'migrated',
  async prepare(connectionString) {
    const client = new Client({ connectionString })
    await client.connect()
    await applyMigrations(client)
    await client.end()
  },
}

export async function openTemporaryPostgresStore(): Promise<DatabaseStore> {
  const database = openTestDatabase(await emptyMigratedDatabase())
  return postgresStore(database, { budget: testBudget() })
}

/** A pool of connections to a database, which is closed when the test ends. */
export function openTestDatabase(connectionString: string): PostgresDatabase {
  const monotonicMs = () => performance.now()
  const database = openPostgres({
    connection: { connectionString },
    poolMax: 5,
    timeoutMs: PATIENCE_MS,
    budget: testBudget(),
    telemetry: NO_TELEMETRY,
    monotonicMs,
  })
  onTestFinished(() => database.close())
  return database
}

export function testBudget(): TimeBudget {
  return timeBudget({ limitMs: PATIENCE_MS, monotonicMs: () => performance.now() })
}

/** To empty a database takes a tenth of the time that a new one takes. They all go with the server. */
const unused: Used[] = []

type Used = FreshDatabase & { readonly administrator: Client }

/** The URL of a database as the migrations leave it. Another test gets it afterwards. */
export async function emptyMigratedDatabase(): Promise<string> {
  const database = await openEmptyMigratedDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  return database.url
}

/** The same until it is disposed of, which ends the connections to it. */
export async function openEmptyMigratedDatabase(): Promise<
  Pick<FreshDatabase, 'url'> & AsyncDisposable
> {
  const database = unused.pop() ?? (await openUsed())
  return {
    url: database.url,
    async [Symbol.asyncDispose]() {
      await empty(database)
      unused.push(database)
    },
  }
}

async function openUsed(): Promise<Used> {
  const database = await openFreshDatabase({ template: MIGRATED })
  const administrator = new Client({ connectionString: database.superuserUrl })
  await administrator.connect()
  return { ...database, administrator }
}

/** Ends all other connections, and brings every table back to what it has in a new database. */
async function empty({ administrator }: Used): Promise<void> {
  await administrator.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  const { rows } = await administrator.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'
      AND tablename NOT IN ('locks', 'schema_migrations', 'migration_lock')`,
  )
  await administrator.query(
    [
      // Switches triggers off.
      'SET session_replication_role = replica',
      ...rows.map(({ name }) => `DELETE FROM ${name}`),
      'INSERT INTO log_out_epoch (id, epoch) VALUES (1, 0)',
      'SELECT setval(pg_get_serial_sequence(t, $$id$$), 1, false) FROM unnest(ARRAY[$$audit_entries$$, $$service_mails$$]) AS t',
    ].join(';'),
  )
}
