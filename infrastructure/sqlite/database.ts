import { Database, SQLiteError } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { Unavailable } from '../../application/unavailable.ts'
import { hasCode } from '../error-code.ts'
import { applyMigrations, MIGRATIONS, refuseOutdated, schemaVersion } from './migrations.ts'
import { storageError, translateFileOutage, translateOutage } from './storage-outage.ts'

/** The path that stands for a database without a file. */
export const IN_MEMORY = ':memory:'

export type Queries = BunSQLiteDatabase & { readonly $client: Database }

/**
 * One connection, and the only ways to use it. The work itself runs to the end without a pause. Where another process
 * is in its way it is tried again for five seconds, while everything else goes on; all of them reject with
 * `Unavailable('storage')` where the database fails them or is closed.
 */
export type SqliteDatabase = {
  /** Absolute, or `:memory:`. */
  readonly path: string
  readonly queries: Queries
  /** For one statement, which sees one moment by itself. */
  read<Result>(work: () => Result): Promise<Result>
  /** For several statements that have to see one moment. */
  readTogether<Result>(work: () => Result): Promise<Result>
  /** Holds the write lock from the start. Durable once it resolves; if `work` throws, nothing is stored. */
  write<Result>(work: () => Result): Promise<Result>
  /** Takes a fraction of a second at most, and never throws: what is committed is in the file or its log. */
  close(): void
}

/** How long another process's write is waited for, such as one of the operator's commands. */
const BUSY_TIMEOUT_MS = 5000
const BUSY_RETRY_MS = 20
/** A process that stops has no time to wait for somebody's long read. */
const CLOSING_BUSY_TIMEOUT_MS = 200

/** Opens the database, makes it where there is none, and migrates it unless it has to be up to date already. */
export function openDatabase(
  path: string,
  { busyTimeoutMs = BUSY_TIMEOUT_MS, isUpToDate = false } = {},
): SqliteDatabase {
  return translateOutage(() => {
    const client = connect(path)
    try {
      if (isUpToDate) refuseOutdated(client, MIGRATIONS)
      else applyMigrations(client, MIGRATIONS)
      return guard(client, busyTimeoutMs)
    } catch (error) {
      client.close(true)
      throw error
    }
  })
}

/** For the `migrate` command: what was applied, and the newest migration that the database has now. */
export function migrateSqlite(path: string): { applied: readonly string[]; version: string } {
  return translateOutage(() => {
    const client = connect(path)
    try {
      return { applied: applyMigrations(client, MIGRATIONS), version: schemaVersion(client) }
    } finally {
      client.close(true)
    }
  })
}

function connect(path: string): Database {
  if (path === IN_MEMORY) return configure(new Database(path))

  const absolutePath = resolve(path)
  translateFileOutage(() => createFile(absolutePath))
  return configure(new Database(absolutePath, { readwrite: true, create: false }))
}

/** Only its owner may read the file; SQLite gives the files beside it the same mode. */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    // Exclusively: to open and close a file that SQLite has open would drop its locks
    // (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

function configure(client: Database): Database {
  try {
    keepWriteAheadLog(client)
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // Nothing less survives a power cut with every acknowledged commit.
    client.run('PRAGMA synchronous = FULL')
    client.run('PRAGMA foreign_keys = ON')
    return client
  } catch (error) {
    client.close(true)
    throw error
  }
}

/** Waits by itself: of two processes that make this switch in a new file, SQLite fails one whatever its busy timeout. */
function keepWriteAheadLog(client: Database): void {
  for (let waitedMs = 0; ; waitedMs += BUSY_RETRY_MS) {
    try {
      client.run('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_TIMEOUT_MS) throw error
      Bun.sleepSync(BUSY_RETRY_MS)
    }
  }
}

function guard(client: Database, busyTimeoutMs: number): SqliteDatabase {
  let isOpen = true
  // SQLite's own wait would hold up every request and every timer of the process.
  client.run('PRAGMA busy_timeout = 0')

  async function run<Result>(work: () => Result): Promise<Result> {
    for (let waitedMs = 0; ; waitedMs += BUSY_RETRY_MS) {
      if (!isOpen) throw new Unavailable('storage', { cause: new Error('the database is closed') })
      try {
        return work()
      } catch (error) {
        if (!isBusy(error) || waitedMs >= busyTimeoutMs) throw storageError(error)
      }
      await Bun.sleep(BUSY_RETRY_MS)
    }
  }

  return {
    path: client.filename,
    queries: drizzle(client),
    read: run,
    readTogether: (work) => run(() => client.transaction(work).deferred()),
    write: (work) => run(() => client.transaction(work).immediate()),
    close() {
      if (!isOpen) return
      isOpen = false
      checkpoint(client)
      client.close(true)
    },
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? '').startsWith('SQLITE_BUSY')
}

function checkpoint(client: Database): void {
  client.run(`PRAGMA busy_timeout = ${CLOSING_BUSY_TIMEOUT_MS}`)
  try {
    client.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // A full disk, for one. The log keeps every commit, and the next start folds it in.
  }
}
