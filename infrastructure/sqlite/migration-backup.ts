import type { Database } from 'bun:sqlite'
import { constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { MigrationReport } from '../../application/upkeep/reports.ts'
import type { Migration } from '../database/migration-history.ts'
import { IncompatibleDatabase } from '../database/outage.ts'
import {
  makeDurable,
  numberedName,
  publishNew,
  sha256OfFile,
  underFreeName,
} from '../files/durable-files.ts'
import { withFile } from '../files/open-file.ts'
import { makeCheckedCopy } from './backup-copy.ts'
import { giveToOwnerOf } from './files.ts'
import { applyMigrations, copyBefore, findPending, readHistory } from './migrations.ts'
import { storageError } from './storage-outage.ts'
import { makeWorkFolder } from './work-folder.ts'

export type Migrated = Pick<MigrationReport, 'applied' | 'copy'>

/**
 * Puts a checked copy beside the database, and then applies the migrations that it lacks. When the copy cannot be made,
 * none is applied. When a migration fails, the error says where the copy is, and is an `IncompatibleDatabase` where it
 * would fail again. A database without a row needs none.
 */
export function migrateCopied(client: Database, migrations: readonly Migration[]): Migrated {
  const [first] = findPending(client, migrations)
  // Most starts end here.
  if (!first) return { applied: [], copy: null }
  const copy = copyBeforeMigrating(client, first)
  try {
    return { applied: applyMigrations(client, migrations), copy }
  } catch (error) {
    if (error instanceof IncompatibleDatabase) throw error
    const isOutage = storageError(error) !== error
    if (isOutage && copy === null) throw error
    const kept = copy === null ? '' : `, and a copy of it as it was is ${copy}`
    const Failure = isOutage ? Error : IncompatibleDatabase
    throw new Failure(`it could not be migrated${kept}`, { cause: error })
  }
}

function copyBeforeMigrating(client: Database, pending: Migration): string | null {
  if (client.filename === ':memory:' || isEmpty(client)) return null
  const path = copyBefore(client.filename, pending.name)
  try {
    return keepCopy(client, path, pending)
  } catch (error) {
    throw new Error(`nothing was migrated: no copy of it as it is could be put beside it`, {
      cause: error,
    })
  }
}

/** Whether there is nothing to lose: no table has a row but the one that tells the migrations. */
function isEmpty(client: Database): boolean {
  const tables = client
    .prepare<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_migrations'",
    )
    .all()
  return tables.every(({ name }) => {
    const table = `"${name.replaceAll('"', '""')}"`
    return client.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === null
  })
}

/** Null where another process was faster. */
function keepCopy(client: Database, path: string, { name }: Migration): string | null {
  const work = makeWorkFolder(dirname(path))
  try {
    const copy = makeCheckedCopy(client, work)
    giveCopyToOwner(copy.path, client.filename)
    if (readHistory(client).some((applied) => applied.name === name)) return null

    // A migration that fails at every start must not fill the disk with equal copies.
    const kept =
      findSame(path, copy.sha256) ?? underFreeName(path, (name) => publishNew(copy.path, name))
    makeDurable(dirname(path))
    return kept
  } finally {
    work.remove()
  }
}

/** The next process that migrates may be the service, and has to read the copy. */
function giveCopyToOwner(copy: string, database: string): void {
  withFile(copy, constants.O_RDONLY | constants.O_NOFOLLOW, (file) => giveToOwnerOf(database, file))
}

function findSame(path: string, sha256: string): string | null {
  for (let number = 1; ; number++) {
    const name = numberedName(path, number)
    if (!existsSync(name)) return null
    if (isSame(name, sha256)) return name
  }
}

function isSame(file: string, sha256: string): boolean {
  try {
    return sha256OfFile(file) === sha256
  } catch {
    // A folder, or another user's file: it stays as it is, and the copy gets another name.
    return false
  }
}
