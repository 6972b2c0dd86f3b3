import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CARRIED_TABLES, type CarriedTable } from '../../data-migration/carried-tables.ts'
import type { DataTarget } from '../../data-migration/copy-tables.ts'
import { makeDurable, publishNew } from '../../files/durable-files.ts'
import { hasCode } from '../../files/node-errors.ts'
import { migrateSqlite } from '../database.ts'
import { LOG_SUFFIXES, resolveDatabasePath } from '../files.ts'
import { assertSchema } from '../schema-check.ts'
import { tryServingLock } from '../serving-lock.ts'
import { BUSY_TIMEOUT_MS, namingDatabase } from '../storage-outage.ts'
import { makeWorkFolder } from '../work-folder.ts'
import { findFilledTable, sqliteTableReader } from './carried-statements.ts'

/**
 * A database to copy into: the one at the path, or a new one, which gets its name only once it is whole. Throws where
 * the one that is there holds a customer's data, or where a service has it.
 */
export function openSqliteTarget(databasePath: string): DataTarget {
  const path = resolveDatabasePath(databasePath)
  return existsSync(path) ? openExisting(path) : openNew(path)
}

function openExisting(path: string): DataTarget {
  const lock = namingDatabase(path, () => tryServingLock(path))
  if (!lock) throw new Error(`the database ${path} is in use by a service: stop that first`)
  try {
    // Looked at before it is migrated: what is refused stays as it is.
    namingDatabase(path, () => refuseFilled(path))
    return filling(path, { complete() {}, end: lock.release })
  } catch (error) {
    lock.release()
    throw error
  }
}

function refuseFilled(path: string): void {
  const client = connect(path)
  try {
    assertEmpty(client, path)
  } finally {
    client.close(true)
  }
}

function assertEmpty(client: Database, path: string): void {
  const filled = findFilledTable(client)
  if (filled !== null) throw new Error(`the database ${path} holds data already, in ${filled}`)
}

function openNew(path: string): DataTarget {
  const folder = dirname(path)
  const leftover = LOG_SUFFIXES.map((suffix) => path + suffix).find((one) => existsSync(one))
  // SQLite would take it for a part of the new database.
  if (leftover) throw new Error(`${leftover} has lost its database: move it away first`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const work = makeWorkFolder(folder)
  try {
    const draft = join(work.path, 'copy.db')
    return filling(draft, { complete: () => giveName(draft, path), end: work.remove })
  } catch (error) {
    work.remove()
    throw error
  }
}

function giveName(draft: string, path: string): void {
  const client = connect(draft)
  try {
    // Folds in the log, so that one file is all there is to name.
    client.run('PRAGMA journal_mode = DELETE')
  } finally {
    client.close(true)
  }
  makeDurable(draft)
  try {
    publishNew(draft, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
    throw new Error(`another process has made ${path} meanwhile: nothing was copied`)
  }
  makeDurable(dirname(path))
}

/** A transaction on the database at the path, which is made where there is none, and migrated. */
function filling(
  path: string,
  { complete, end }: { complete: () => void; end: () => void },
): DataTarget {
  const client = namingDatabase(path, () => beginFilling(path))
  return {
    ...sqliteTableReader(client),
    insert: inserter(client),
    countOn: (table, lastNumber) => countOn(client, table, lastNumber),
    commit() {
      client.run('COMMIT')
      client.close(true)
      complete()
      end()
    },
    abandon() {
      // What is not committed goes with the connection.
      client.close(true)
      end()
    },
  }
}

function beginFilling(path: string): Database {
  migrateSqlite(path)
  const client = connect(path)
  try {
    client.run('BEGIN IMMEDIATE')
    assertSchema(client)
    assertEmpty(client, path)
    for (const { name, initialRows } of CARRIED_TABLES) {
      if (initialRows !== null) client.run(`DELETE FROM ${name} WHERE ${initialRows}`)
    }
    return client
  } catch (error) {
    client.close(true)
    throw error
  }
}

function inserter(client: Database): DataTarget['insert'] {
  return ({ name, columns }, rows) => {
    const names = columns.map((column) => column.name).join(', ')
    const places = columns.map(() => '?').join(', ')
    const insert = client.prepare(`INSERT INTO ${name} (${names}) VALUES (${places})`)
    try {
      for (const row of rows) insert.run(...row)
    } finally {
      insert.finalize()
    }
  }
}

/** A table without AUTOINCREMENT counts on behind the rows that it has. */
function countOn(client: Database, { name, key }: CarriedTable, lastNumber: number): void {
  const counting = client.prepare<{ sql: string }, [string]>(
    "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?",
  )
  if (!counting.get(name)?.sql.includes('AUTOINCREMENT')) return
  client.run('DELETE FROM sqlite_sequence WHERE name = ?', [name])
  client.run(
    `INSERT INTO sqlite_sequence (name, seq) SELECT ?, max(?, coalesce(max(${key[0]}), 0)) FROM ${name}`,
    [name, lastNumber],
  )
}

function connect(path: string): Database {
  const client = new Database(path, { readwrite: true, create: false })
  try {
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    client.run('PRAGMA synchronous = FULL')
    return client
  } catch (error) {
    client.close(true)
    throw error
  }
}
