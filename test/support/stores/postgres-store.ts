import { onTestFinished } from 'bun:test'
import { Client } from 'pg'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { openPostgres, type PostgresDatabase } from '../../../infrastructure/postgres/database.ts'
import { applyMigrations } from '../../../infrastructure/postgres/migrations.ts'
import { postgresStore } from '../../../infrastructure/postgres/store.ts'
import { timeBudget } from '../../../infrastructure/postgres/time-budget.ts'
import { type DatabaseTemplate, freshDatabase } from '../postgres/fresh-database.ts'

const TIMEOUT_MS = 20_000

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
  const { url } = await freshDatabase({ template: MIGRATED })
  return postgresStore(openTestDatabase(url))
}

/** A pool of connections to a database, which is closed when the test ends. */
export function openTestDatabase(connectionString: string): PostgresDatabase {
  const monotonicMs = () => performance.now()
  const database = openPostgres({
    connection: { connectionString },
    poolMax: 5,
    timeoutMs: TIMEOUT_MS,
    budget: timeBudget({ limitMs: TIMEOUT_MS, monotonicMs }),
  })
  onTestFinished(() => database.close())
  return database
}
