import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { postgresStore } from '../../../infrastructure/postgres/store.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { hasPostgres } from '../postgres/binaries.ts'
import { freshDatabase } from '../postgres/fresh-database.ts'
import { query } from '../postgres/query.ts'
import { MIGRATED, openTestDatabase, testBudget } from './postgres-store.ts'
import { openTemporaryDatabase } from './stores.ts'

/** A database, and a hand that changes it behind the service's back, past the triggers of the audit trail. */
export type EditedDatabase = {
  readonly store: DatabaseStore
  readonly edit: (sql: string) => Promise<void>
}

/** Every kind of database. Each `open` gives an empty one, which goes away when the test ends. */
export const EDITED_DATABASES: readonly (readonly [
  name: string,
  open: () => Promise<EditedDatabase>,
])[] = [['sqlite', openSqlite], ...(hasPostgres() ? [['postgres', openPostgres] as const] : [])]

async function openSqlite(): Promise<EditedDatabase> {
  const database = openTemporaryDatabase()
  const { $client: client } = database.queries
  client.run('DROP TRIGGER audit_entries_are_not_changed')
  client.run('DROP TRIGGER audit_entries_are_not_deleted')
  return { store: sqliteStore(database), edit: async (sql) => void client.run(sql) }
}

async function openPostgres(): Promise<EditedDatabase> {
  // Not one that another test gets afterwards.
  const { url } = await freshDatabase({ template: MIGRATED })
  await query(url, 'ALTER TABLE audit_entries DISABLE TRIGGER USER')
  return {
    store: postgresStore(openTestDatabase(url), { budget: testBudget() }),
    edit: async (sql) => void (await query(url, sql)),
  }
}
