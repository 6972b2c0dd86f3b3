import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { Client } from 'pg'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { postgresStore } from '../../../infrastructure/postgres/store.ts'
import type { DatabaseOptions } from '../../../infrastructure/sqlite/database.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { hasPostgres } from '../postgres/binaries.ts'
import { emptyMigratedDatabase, openTestDatabase, testBudget } from '../stores/postgres-store.ts'
import { openTemporaryDatabase } from '../stores/stores.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** Every row of every table. */
export type Contents = Readonly<Record<string, unknown[]>>

/** A database of one test, on which any number of processes serve. */
export type ServicePlace = {
  /** What one more process has of it. */
  openStore(): { readonly store: DatabaseStore; readonly connection: Database | null }
  /** As another process reads them. */
  contents(): Promise<Contents>
  /** The database file; null where there is none. */
  readonly path: string | null
}

export type OpenPlace = () => Promise<ServicePlace>

/** Every database that a service can have, empty. */
export const PLACES: readonly (readonly [name: string, open: OpenPlace])[] = [
  ['sqlite', async () => sqlitePlace()],
  ...(hasPostgres()
    ? [['postgres', async () => postgresPlace(await emptyMigratedDatabase())] as const]
    : []),
]

/** A database file that is there already, or is to be made; `:memory:` has no second process. */
export function sqlitePlace(
  path = join(temporaryFolder(), 'alibi.db'),
  options: DatabaseOptions = {},
): ServicePlace {
  return {
    openStore() {
      const database = openTemporaryDatabase(path, options)
      return { store: sqliteStore(database), connection: database.queries.$client }
    },
    contents: async () => readFile(path),
    path,
  }
}

export function postgresPlace(url: string): ServicePlace {
  return {
    openStore() {
      const database = openTestDatabase(url)
      return {
        store: postgresStore(database, { budget: testBudget() }),
        connection: null,
      }
    },
    contents: () => readPostgres(url),
    path: null,
  }
}

function readFile(path: string): Contents {
  const connection = new Database(path, { readonly: true })
  const tables = connection
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
    )
    .all()
  const contents = tables.map(({ name }) => [
    name,
    connection.query(`SELECT * FROM "${name}"`).all(),
  ])
  connection.close(true)
  return Object.fromEntries(contents)
}

/** PostgreSQL gives rows in an order of its own, which a row that was written again does not keep. */
async function readPostgres(connectionString: string): Promise<Contents> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY name",
    )
    const contents: [string, unknown[]][] = []
    for (const { name } of tables) {
      const { rows } = await client.query(`SELECT * FROM "${name}" AS t ORDER BY t`)
      contents.push([name, rows])
    }
    return Object.fromEntries(contents)
  } finally {
    await client.end()
  }
}
