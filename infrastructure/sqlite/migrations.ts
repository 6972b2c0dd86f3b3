import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import {
  type AppliedMigration,
  comparePending,
  hashOf,
  type Migration,
  newestOf,
} from '../database/migration-history.ts'
import { IncompatibleDatabase } from '../database/outage.ts'
import init from './migrations/0001_init.sql' with { type: 'text' }
import payments from './migrations/0002_payments.sql' with { type: 'text' }
import verificationChallenge from './migrations/0003_verification_challenge.sql' with {
  type: 'text',
}
import operations from './migrations/0004_operations.sql' with { type: 'text' }
import logOutEpochs from './migrations/0005_log_out_epochs.sql' with { type: 'text' }
import foreignReversals from './migrations/0006_foreign_reversals.sql' with { type: 'text' }
import codeBudgets from './migrations/0007_code_budgets.sql' with { type: 'text' }
import growth from './migrations/0008_growth.sql' with { type: 'text' }
import leastAmount from './migrations/0009_least_amount.sql' with { type: 'text' }
import mailsByAsker from './migrations/0010_mails_by_asker.sql' with { type: 'text' }

/** In the order in which they are applied. A released one never changes. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001_init', sql: init },
  { name: '0002_payments', sql: payments },
  { name: '0003_verification_challenge', sql: verificationChallenge },
  { name: '0004_operations', sql: operations },
  { name: '0005_log_out_epochs', sql: logOutEpochs },
  { name: '0006_foreign_reversals', sql: foreignReversals },
  { name: '0007_code_budgets', sql: codeBudgets },
  { name: '0008_growth', sql: growth },
  { name: '0009_least_amount', sql: leastAmount },
  { name: '0010_mails_by_asker', sql: mailsByAsker },
]

/** The copy of a database as it was before the migration of this name, and those that came with it. */
export function copyBefore(path: string, migration: string): string {
  return `${path}.before-${migration}`
}

const CREATE_HISTORY = `CREATE TABLE IF NOT EXISTS schema_migrations (
  name TEXT NOT NULL PRIMARY KEY,
  sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`

const RECORD = `INSERT INTO schema_migrations (name, sha256, applied_at)
  VALUES (?, ?, CAST(unixepoch('subsec') * 1000 AS INTEGER))`

/**
 * Applies the migrations that the database lacks, each whole or not at all, and returns the names of those it applied
 * itself. Several processes may do it at once. Throws `IncompatibleDatabase` for a database that a newer executable has
 * migrated, or one whose migrations are not those of this executable.
 */
export function applyMigrations(
  client: Database,
  migrations: readonly Migration[],
): readonly string[] {
  // Most starts end here, without waiting for another process that is writing.
  if (findPending(client, migrations).length === 0) return []

  // Rebuilding a table drops the old one, which would delete the rows that refer to it. Inside a transaction this
  // pragma does nothing.
  client.run('PRAGMA foreign_keys = OFF')
  try {
    return migrations
      .filter((migration) =>
        client.transaction(() => applyOnce(client, migrations, migration)).immediate(),
      )
      .map(({ name }) => name)
  } finally {
    client.run('PRAGMA foreign_keys = ON')
  }
}

/** For a process that must not change the tables under a service that runs. Throws `IncompatibleDatabase`. */
export function refuseOutdated(client: Database, migrations: readonly Migration[]): void {
  const [pending] = findPending(client, migrations)
  if (!pending) return
  throw new IncompatibleDatabase(
    `the database ${client.filename} lacks the migration ${pending.name}: start the service, or run "alibi migrate"`,
  )
}

/** The newest migration that the database has. */
export function schemaVersion(client: Database): string {
  return newestOf(readHistory(client))
}

/**
 * The migrations that the database lacks, in order. Errors call the database `subject`. Throws `IncompatibleDatabase`
 * for a database that a newer executable has migrated, or one whose migrations are not those of this executable.
 */
export function findPending(
  client: Database,
  migrations: readonly Migration[],
  subject = `the database ${client.filename}`,
): readonly Migration[] {
  return comparePending(readHistory(client), migrations, {
    subject,
    findBackup(migration) {
      // A copy from before the newer executable lies beside the database.
      const copy = copyBefore(client.filename, migration)
      return existsSync(copy) ? copy : null
    },
  })
}

/** The migrations that the database has, by name. Empty for a database that is not one of Alibi's. */
export function readHistory(client: Database): readonly AppliedMigration[] {
  const exists = client
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'")
    .get()
  if (!exists) return []
  return client
    .prepare<AppliedMigration, []>('SELECT name, sha256 FROM schema_migrations ORDER BY name')
    .all()
}

function applyOnce(
  client: Database,
  migrations: readonly Migration[],
  migration: Migration,
): boolean {
  // Only now, with the write lock held, is it certain that no other process applies it.
  if (!findPending(client, migrations).includes(migration)) return false

  client.run(CREATE_HISTORY)
  client.run(migration.sql)
  if (client.prepare('PRAGMA foreign_key_check').all().length > 0) {
    throw new Error(`migration ${migration.name} leaves rows that refer to nothing`)
  }
  client.run(RECORD, [migration.name, hashOf(migration)])
  return true
}
