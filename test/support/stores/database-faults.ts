import { Database } from 'bun:sqlite'
import { closeSync, openSync, writeSync } from 'node:fs'

/** Whose database fails: the file, and the connection of the process that is to feel it. */
type Target = { readonly path: string; readonly connection: Database; close(): void }

/** Makes the database fail, and returns what mends it. */
export type BreakDatabase = (target: Target) => () => void

/** Another process is in the middle of a write, and does not come to an end. */
const lockDatabase: BreakDatabase = ({ path }) => {
  const other = new Database(path)
  other.run('BEGIN IMMEDIATE')
  return () => {
    other.run('ROLLBACK')
    other.close(true)
  }
}

const forbidWrites: BreakDatabase = ({ connection }) => {
  connection.run('PRAGMA query_only = ON')
  return () => connection.run('PRAGMA query_only = OFF')
}

/** Nothing mends it but another connection. */
export const closeDatabase: BreakDatabase = ({ close }) => {
  close()
  return () => {}
}

/**
 * Whatever is written to these tables needs room that is not there. A small row by itself would find some on its page,
 * so each brings a large one with it.
 */
export function fillDatabase(tables: readonly string[]): BreakDatabase {
  return ({ connection }) => {
    connection.run('CREATE TABLE ballast (bytes BLOB)')
    for (const table of tables) {
      for (const change of ['INSERT', 'UPDATE']) {
        connection.run(
          `CREATE TEMP TRIGGER ${change}_${table} AFTER ${change} ON ${table}
           BEGIN INSERT INTO ballast VALUES (zeroblob(1000000)); END`,
        )
      }
    }
    const { page_count: pages } = connection.query('PRAGMA page_count').get() as {
      page_count: number
    }
    connection.run(`PRAGMA max_page_count = ${pages}`)
    return () => connection.run('PRAGMA max_page_count = 1000000')
  }
}

const EVERY_TABLE = ['purchases', 'audit_entries', 'refunds', 'disputes', 'outbox', 'sweeps']

/** What ends all writing, for `describe.each`, and what the log says of it. */
export const DATABASE_FAULTS: readonly (readonly [string, BreakDatabase, cause: string])[] = [
  ['is locked by another process', lockDatabase, 'SQLITE_BUSY'],
  ['is full', fillDatabase(EVERY_TABLE), 'SQLITE_FULL'],
  ['may only be read', forbidWrites, 'SQLITE_READONLY'],
  ['is closed', closeDatabase, 'the database is closed'],
]

const PAGE_BYTES = 4096

/** Overwrites the page with which a table begins, as a failing disk would. */
export function spoilTable(path: string, table: string): void {
  const database = new Database(path, { readonly: true })
  const select = database.query('SELECT rootpage FROM sqlite_schema WHERE name = ?')
  const { rootpage } = select.get(table) as { rootpage: number }
  database.close()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, (rootpage - 1) * PAGE_BYTES)
  closeSync(file)
}
