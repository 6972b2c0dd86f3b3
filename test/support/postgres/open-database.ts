import { onTestFinished } from 'bun:test'
import type { PostgresConfig } from '../../../infrastructure/config/database-settings.ts'
import { postgresConnectionOptions } from '../../../infrastructure/postgres/connection/connection-options.ts'
import {
  openPostgres,
  type PostgresDatabase,
} from '../../../infrastructure/postgres/connection/database.ts'
import { timeBudget } from '../../../infrastructure/postgres/connection/time-budget.ts'
import { NO_TELEMETRY } from '../../../infrastructure/telemetry/instrumented.ts'
import { production } from '../config-loading.ts'

/** The database as the service opens it, with its connections and deadlines: the longest, unless it is told others. */
export function openDatabase(url: string, settings: Record<string, string> = {}): PostgresDatabase {
  const config = production({ DATABASE_URL: url, DATABASE_TIMEOUT: '1m', ...settings })
    .database as PostgresConfig
  const { poolMax, timeoutMs } = config
  const monotonicMs = () => performance.now()
  const database = openPostgres({
    connection: postgresConnectionOptions(config),
    poolMax,
    timeoutMs,
    budget: timeBudget({ limitMs: timeoutMs, monotonicMs }),
    telemetry: NO_TELEMETRY,
    monotonicMs,
  })
  onTestFinished(() => database.close())
  return database
}
