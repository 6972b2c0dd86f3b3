import type { Clock } from '../../application/ports.ts'
import type { Telemetry } from '../../application/telemetry.ts'
import type { PostgresConfig } from '../config/database-settings.ts'
import type { DatabaseStore } from '../database/database-store.ts'
import { IncompatibleDatabase } from '../database/outage.ts'
import { NO_TELEMETRY } from '../telemetry/instrumented.ts'
import { postgresConnectionOptions } from './connection/connection-options.ts'
import { openPostgres, type PostgresDatabase } from './connection/database.ts'
import {
  connectAlone,
  endConnection,
  type SingleConnection,
} from './connection/single-connection.ts'
import { type TimeBudget, timeBudget } from './connection/time-budget.ts'
import { type DatabaseClock, databaseClock } from './database-clock.ts'
import {
  applyMigrations,
  assertUsable,
  findPending,
  refuseOutdated,
  schemaVersion,
} from './migrations.ts'
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
}

/**
 * Connects, migrates, and measures the database's time. Throws within `timeoutMs`, and a sentence for the operator that
 * names DATABASE_URL and has no password, where the database cannot be used. A migration by another process is waited
 * for.
 */
export async function openPostgresDatabase(
  config: PostgresConfig,
  { isUpToDate, telemetry, monotonicMs, machine }: Options,
): Promise<OpenPostgres> {
  const { poolMax, timeoutMs } = config
  const applied = await withUsableServer(
    config,
    isUpToDate ? ({ client }) => refuseOutdated(client) : migrate,
  )
  const budget = timeBudget({ limitMs: timeoutMs, monotonicMs })
  const connection = postgresConnectionOptions(config)
  const database = openPostgres({ connection, poolMax, timeoutMs, budget, telemetry, monotonicMs })
  const askDatabase = async (): Promise<Date> => {
    const [row] = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    if (!row) throw new Error('the database was asked for the time, and did not say it')
    return row.now
  }
  const time = databaseClock({ askDatabase, monotonicMs, machine })
  try {
    await time.measure()
  } catch (error) {
    database.close()
    throw new Error(`${nameOf(config)} cannot be used`, { cause: error })
  }
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
  return withUsableServer(config, async (connection) => ({
    applied: await migrate(connection),
    version: await schemaVersion(connection.client),
  }))
}

/** What is to be migrated takes as long as it takes, the wait for another process that does it included. */
async function migrate({ client, mayTakeLong }: SingleConnection): Promise<readonly string[]> {
  if ((await findPending(client)).length > 0) mayTakeLong()
  return applyMigrations(client)
}

function nameOf({ shownUrl }: PostgresConfig): string {
  return `DATABASE_URL: the database ${shownUrl}`
}

async function withUsableServer<Result>(
  config: PostgresConfig,
  work: (connection: SingleConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await connectAlone(config, { named: nameOf(config) })
  try {
    await assertUsable(connection.client)
    return await work(connection)
  } catch (error) {
    if (error instanceof IncompatibleDatabase) throw error
    throw connection.unusable(error)
  } finally {
    void endConnection(connection.client)
  }
}
