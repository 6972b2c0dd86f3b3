import { ConfigError } from './config.ts'
import type { DatabaseConfig } from './database-settings.ts'

/** Where the file of the database is. Throws `ConfigError` where the database is a PostgreSQL. */
export function sqlitePathOf(database: DatabaseConfig): string {
  if (database.kind === 'sqlite') return database.path
  throw new ConfigError(['DATABASE_URL names a PostgreSQL'])
}
