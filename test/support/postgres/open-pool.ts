import { onTestFinished } from 'bun:test'
import { Pool } from 'pg'
import type { PostgresConfig } from '../../../infrastructure/config/database-settings.ts'
import { postgresConnectionOptions } from '../../../infrastructure/postgres/connection/connection-options.ts'
import { production } from '../config-loading.ts'

/** Connections of the test as the service makes them, to what DATABASE_URL would name. */
export function openPool(url: string, settings: Record<string, string> = {}): Pool {
  const config = production({ DATABASE_URL: url, DATABASE_TIMEOUT: '1m', ...settings }).database
  const { timeoutMs } = config as PostgresConfig
  const pool = new Pool({
    ...postgresConnectionOptions(config as PostgresConfig),
    connectionTimeoutMillis: timeoutMs,
  })
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  return pool
}
