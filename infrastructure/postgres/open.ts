import type { Client } from 'pg'
import type { Clock } from '../../application/ports.ts'
import type { Telemetry } from '../../application/telemetry.ts'
import type { PostgresConfig } from '../config/database-settings.ts'
import type { DatabaseStore } from '../database/database-store.ts'
import { IncompatibleDatabase } from '../database/outage.ts'
import { NO_TELEMETRY } from '../telemetry/instrumented.ts'
import { postgresClient, postgresConnectionOptions } from './connection/connection-options.ts'
import { openPostgres, type PostgresDatabase } from './connection/database.ts'
import { type TimeBudget, timeBudget } from './connection/time-budget.ts'
import { type DatabaseClock, databaseClock } from './database-clock.ts'
import { applyMigrations, assertUsable, refuseOutdated, schemaVersion } from './migrations.ts'
import { postgresStore } from './store.ts'

export type OpenPostgres = {
  readonly database: PostgresDatabase
  readonly budget: TimeBudget
  /** Measured for the first time. */
  readonly time: DatabaseClock
  /** The migrations that were applied, by name. */
  readonly applied: readonly string[]
}

type Options = {
  /** Whether to refuse a database that is not migrated yet, rather than to migrate it. */
  readonly isUpToDate: boolean
  readonly telemetry: Telemetry
  readonly monotonicMs: () => number
  readonly machine: Clock
  /** Does more before anything else uses the database, on a connection whose statements may take as long as they do. */
  readonly enter?: (statements: Pick<PostgresDatabase, 'query'>) => Promise<void>
}

/**
 * Connects, migrates, and measures the database's time. Throws within `timeoutMs`, and a sentence for the operator that
 * names DATABASE_URL and has no password, where the database cannot be used. A migration by another process is waited
 * for.
 */
export async function openPostgresDatabase(
  config: PostgresConfig,
  { isUpToDate, telemetry, monotonicMs, machine, enter }: Options,
): Promise<OpenPostgres> {
  const { poolMax, timeoutMs } = config
  const migrate = isUpToDate ? refuseOutdated : applyMigrations
  const applied = await prepare(config, async (client) => {
    const applied = await migrate(client)
    await enter?.(statementsOf(client))
    return applied
  })
  const budget = timeBudget({ limitMs: timeoutMs, monotonicMs })
  const connection = postgresConnectionOptions(config)
  const database = openPostgres({ connection, poolMax, timeoutMs, budget, telemetry, monotonicMs })
  const askDatabase = async (): Promise<Date> => {
    const [row] = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    if (!row) throw new Error('the database was asked for the time, and did not say it')
    return row.now
  }
  const time = databaseClock({ askDatabase, monotonicMs, machine })
  await time.measure()
  return { database, budget, time, applied }
}

/** As `openPostgresDatabase`, for a command beside services that run and may be older. Nothing is measured. */
export async function openPostgresStore(
  config: PostgresConfig,
  around: Pick<Options, 'monotonicMs' | 'machine'>,
): Promise<{ readonly store: DatabaseStore; readonly time: DatabaseClock }> {
  const options = { ...around, isUpToDate: true, telemetry: NO_TELEMETRY }
  const { database, budget, time } = await openPostgresDatabase(config, options)
  return { store: postgresStore(database, { budget }), time }
}

/** Applies the migrations that the database lacks. Throws as `openPostgresDatabase` does. */
export function migratePostgres(
  config: PostgresConfig,
): Promise<{ readonly applied: readonly string[]; readonly version: string }> {
  return prepare(config, async (client) => ({
    applied: await applyMigrations(client),
    version: await schemaVersion(client),
  }))
}

function statementsOf(client: Client): Pick<PostgresDatabase, 'query'> {
  return {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[],
  }
}

/** Does the work on a connection of its own, once the server has shown that it can be used. */
async function prepare<Result>(
  config: PostgresConfig,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = postgresClient(config)
  // What ends the connection also fails the statement that is under way.
  client.on('error', () => {})
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    client.connection.stream.destroy()
  }, config.timeoutMs)
  try {
    await client.connect()
    await assertUsable(client)
    clearTimeout(timer)
    return await work(client)
  } catch (error) {
    if (error instanceof IncompatibleDatabase) throw error
    const cause = isLate ? new Error(`no answer within ${config.timeoutMs} ms`) : error
    throw new Error(`DATABASE_URL: the database ${config.shownUrl} cannot be used`, { cause })
  } finally {
    clearTimeout(timer)
    client.end().catch(() => {})
  }
}
