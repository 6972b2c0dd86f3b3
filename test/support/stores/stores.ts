import { onTestFinished } from 'bun:test'
import { join } from 'node:path'
import type { Store } from '../../../application/store.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import {
  type DatabaseOptions,
  openDatabase,
  type SqliteDatabase,
} from '../../../infrastructure/sqlite/database.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { hasPostgres } from '../postgres/binaries.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { memoryStore } from './memory-store.ts'
import { openTemporaryPostgresStore } from './postgres-store.ts'

export type ClosableStore = Store & { close(): void }

/**
 * Every database that the service can keep its data in. Each `open` gives an empty one, which goes away when the test
 * ends.
 */
export const DATABASES: readonly (readonly [name: string, open: () => Promise<DatabaseStore>])[] = [
  ['sqlite', async () => sqliteStore(openTemporaryDatabase())],
  ...(hasPostgres() ? [['postgres', openTemporaryPostgresStore] as const] : []),
]

/**
 * Everything that keeps the promises of the repositories: the databases, and the double that other tests use instead.
 */
export const STORES: readonly (readonly [name: string, open: () => Promise<ClosableStore>])[] = [
  ['memory', async () => ({ ...memoryStore(), close() {} })],
  ...DATABASES,
]

/** One connection to a database, by default a new one, that is closed when the test ends. */
export function openTemporaryDatabase(
  path = join(temporaryFolder(), 'alibi.db'),
  options: DatabaseOptions = {},
): SqliteDatabase {
  const database = openDatabase(path, options)
  onTestFinished(() => database.close())
  return database
}
