import { Database } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { Unavailable } from '../../application/unavailable.ts'
import type { MigrationReport } from '../../application/upkeep/reports.ts'
import { writeWatch } from '../database/write-watch.ts'
import { hasCode } from '../files/node-errors.ts'
import { filesInPlaceCheck, giveToOwnerOf, resolveDatabasePath } from './files.ts'
import { groupCommit } from './group-commit.ts'
import { prepareGroupTransaction } from './group-transaction.ts'
import { assertQuickCheck } from './integrity.ts'
import { type Migrated, migrateCopied } from './migration-backup.ts'
import { MIGRATIONS, refuseOutdated, schemaVersion } from './migrations.ts'
import { assertSchema } from './schema-check.ts'
import {
  BUSY_RETRY_MS,
  BUSY_TIMEOUT_MS,
  isBusy,
  isDamage,
  storageError,
  translateFileOutage,
  translateOutage,
} from './storage-outage.ts'

/** The path that stands for a database without a file. */
export const IN_MEMORY = ':memory:'

export type Queries = BunSQLiteDatabase & { readonly $client: Database }

/**
 * One connection, and the only ways to use it. The work itself runs to the end without a pause. Where another process
 * blocks it, it is tried again for five seconds, while everything else goes on. All methods reject with
 * `Unavailable('storage')` where the database fails or is closed. They also do once SQLite has found it damaged,
 * because a write to a damaged file may seem to succeed.
 */
export type SqliteDatabase = {
  /** Absolute, of the file itself rather than of a link to it, or `:memory:`. */
  readonly path: string
  readonly queries: Queries
  /** For what prepares statements, which reads the schema and can fail as any read can. Throws rather than rejects. */
  prepare<Prepared>(make: () => Prepared): Prepared
  /** For one statement, which sees one moment by itself. */
  read<Result>(work: () => Result): Promise<Result>
  /** For several statements that have to see one moment. */
  readTogether<Result>(work: () => Result): Promise<Result>
  /**
   * Holds the write lock from the start. Durable once it resolves, in files that are at the path; if `work` throws,
   * nothing of it is stored. Several writes share a commit, one after the other in the order of their calls, and `work`
   * may run again where the first commit came to nothing.
   */
  write<Result>(work: () => Result, options?: { busyTimeoutMs: number }): Promise<Result>
  /** Whether it is open, and not known to be damaged. */
  isUsable(): boolean
  /** Throws `Unavailable('storage')` where the files at the path are no longer those that are open. */
  assertFilesInPlace(): void
  /** Whether the last `write` to end was failed by the database. */
  lastWriteFailed(): boolean
  /**
   * Another number before and after each commit of this connection, whether it succeeds or not. As long as it and
   * `PRAGMA data_version`, which is about all other connections, stay the same, so does everything stored.
   */
  commits(): number
  /**
   * Takes a fraction of a second at most, and never throws: what is committed is in the file or its log. Writes that
   * were called before are committed first, or rejected where that cannot be done at once.
   */
  close(): void
}

export type DatabaseOptions = {
  readonly busyTimeoutMs?: number
  /** Whether to refuse a database that is not migrated yet, rather than to migrate it. */
  readonly isUpToDate?: boolean
  /** Whether to check the database for damage before anything reads the damaged part. */
  readonly isLookedThrough?: boolean
  /** Called once when SQLite finds the open database damaged. It stays damaged until a backup is put back. */
  readonly onDamaged?: (error: unknown) => void
  /** Called with the migrations that were applied, where any were. */
  readonly onMigrated?: (migrated: Migrated) => void
}

// Why: docs/decisions.md#sqlite-never-waits-inside
/** Opens the database, makes it where there is none, and migrates it unless it has to be up to date already. */
export function openDatabase(
  path: string,
  {
    busyTimeoutMs = BUSY_TIMEOUT_MS,
    isUpToDate = false,
    isLookedThrough = false,
    onDamaged = () => {},
    onMigrated = () => {},
  }: DatabaseOptions = {},
): SqliteDatabase {
  return translateOutage(() => {
    const client = connect(path)
    try {
      if (isLookedThrough) assertQuickCheck(client)
      if (isUpToDate) refuseOutdated(client, MIGRATIONS)
      else {
        const migrated = migrateCopied(client, MIGRATIONS)
        if (migrated.applied.length > 0) onMigrated(migrated)
      }
      assertSchema(client)
      return guard(client, { busyTimeoutMs, onDamaged })
    } catch (error) {
      client.close(true)
      throw error
    }
  })
}

/** For the `migrate` command: what was done, and the newest migration that the database has now. */
export function migrateSqlite(path: string): MigrationReport {
  return translateOutage(() => {
    const client = connect(path)
    try {
      return { ...migrateCopied(client, MIGRATIONS), version: schemaVersion(client) }
    } finally {
      client.close(true)
    }
  })
}

function connect(path: string): Database {
  if (path === IN_MEMORY) return configure(new Database(path))

  const file = translateFileOutage(() => resolveDatabasePath(path))
  translateFileOutage(() => createDatabaseFile(file))
  return connectToFile(file)
}

function connectToFile(path: string): Database {
  const file = statSync(path).ino
  const isReplaced = () => statSync(path, { throwIfNoEntry: false })?.ino !== file
  let client: Database | null = null
  try {
    client = configure(new Database(path, { readwrite: true, create: false }))
    if (!isReplaced()) return client
  } catch (error) {
    if (!isReplaced()) throw error
  }
  // During the wait for its lock, a restore has put another file in its place. SQLite refuses to write to a file that
  // has lost its name, but not every time.
  client?.close(true)
  return connect(path)
}

/**
 * Makes an empty file where there is none, and its folder. Only its owner may read it; SQLite gives the files beside it
 * the same mode and owner.
 */
export function createDatabaseFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    // Exclusively: to open and close a file that SQLite has open would drop its locks
    // (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    const file = openSync(path, 'wx', 0o600)
    giveToOwnerOf(dirname(path), file)
    closeSync(file)
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
    // What is deleted is gone from the file, too.
    client.run('PRAGMA secure_delete = ON')
    return client
  } catch (error) {
    client.close(true)
    throw error
  }
}

/**
 * Has a wait of its own: where two processes do this in a new file, SQLite fails one of them despite any busy timeout.
 */
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

function guard(
  client: Database,
  { busyTimeoutMs, onDamaged }: Required<Pick<DatabaseOptions, 'busyTimeoutMs' | 'onDamaged'>>,
): SqliteDatabase {
  let isOpen = true
  let damage: unknown = null
  const { watch, lastWriteFailed } = writeWatch()
  let commits = 0
  const path = client.filename
  const assertFilesInPlace = path === IN_MEMORY ? () => {} : filesInPlaceCheck(path)
  // SQLite's own wait would hold up every request and every timer of the process.
  client.run('PRAGMA busy_timeout = 0')
  // What a savepoint would restore, which would otherwise be written to a file of its own.
  client.run('PRAGMA temp_store = MEMORY')

  const transact = prepareGroupTransaction(client, assertFilesInPlace)
  const writes = groupCommit((works) => {
    const unusable = findUnusable()
    if (unusable) return { state: 'failed', error: unusable, culprit: null }
    commits++
    const outcome = transact(works)
    commits++
    if (outcome.state === 'failed') noteDamage(outcome.error)
    return outcome
  })

  function findUnusable(): Unavailable | null {
    if (!isOpen) return new Unavailable('storage', { cause: new Error('the database is closed') })
    return damage === null ? null : new Unavailable('storage', { cause: damage })
  }

  function noteDamage(error: unknown): void {
    if (!isDamage(error)) return
    damage = error
    onDamaged(error)
  }

  function assertUsable(): void {
    const unusable = findUnusable()
    if (unusable) throw unusable
  }

  function prepare<Prepared>(make: () => Prepared): Prepared {
    assertUsable()
    try {
      return make()
    } catch (error) {
      noteDamage(error)
      throw storageError(error)
    }
  }

  async function run<Result>(work: () => Result): Promise<Result> {
    for (let waitedMs = 0; ; waitedMs += BUSY_RETRY_MS) {
      assertUsable()
      try {
        return work()
      } catch (error) {
        noteDamage(error)
        if (!isBusy(error) || waitedMs >= busyTimeoutMs) throw storageError(error)
      }
      await Bun.sleep(BUSY_RETRY_MS)
    }
  }

  return {
    path,
    queries: drizzle(client),
    prepare,
    read: run,
    readTogether: (work) => run(() => client.transaction(work).deferred()),
    write: (work, options = { busyTimeoutMs }) => watch(writes.write(work, options.busyTimeoutMs)),
    isUsable: () => findUnusable() === null,
    assertFilesInPlace,
    lastWriteFailed,
    commits: () => commits,
    close() {
      if (!isOpen) return
      writes.flush()
      isOpen = false
      checkpoint(client)
      client.close(true)
    },
  }
}

function checkpoint(client: Database): void {
  try {
    // Waits for no other process: a long read, or a backup tool that follows the log, must not hold up a stop.
    client.run('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // A full disk, for one. The log keeps every commit, and the next start folds it in.
  }
}
