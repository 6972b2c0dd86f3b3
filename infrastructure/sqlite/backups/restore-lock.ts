import { Database } from 'bun:sqlite'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSecondNameRefused } from '../../files/durable-files.ts'
import { isBusy, isUnreadable } from '../storage-outage.ts'
import type { WorkFolder } from '../work-folder.ts'

/** A database that no other process can use for as long as this is held. */
export type DatabaseLock = {
  /**
   * Folds the log into the database, so that the one file has everything. False for a database that is too damaged for
   * that: then the log beside it is still a part of it.
   */
  foldLog(): boolean
  release(): void
}

/** Something has the database open. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'
}

/**
 * Throws `DatabaseInUse` where any other process has the database open: in WAL mode each process holds a shared lock on
 * the file until it closes it (https://www.sqlite.org/walformat.html, section 2.3). Locks belong to the file rather
 * than to its name: while one is held, only SQLite may open the file.
 */
export function lockDatabase(path: string, work: WorkFolder): DatabaseLock {
  const lock = (isReadable(path) ? lockIntact(path) : null) ?? lockDamaged(path, work)
  // The index of the log: the next process that opens the database makes it again.
  rmSync(`${path}-shm`, { force: true })
  return lock
}

/** For reading alone: a connection that may write folds the log into the file as it closes, even into a damaged one. */
function isReadable(path: string): boolean {
  const client = new Database(path, { readonly: true })
  try {
    client.prepare('SELECT count(*) FROM sqlite_schema').all()
    return true
  } catch (error) {
    return !isUnreadable(error)
  } finally {
    client.close(true)
  }
}

/** Null for a database that SQLite finds damaged only now. */
function lockIntact(path: string): DatabaseLock | null {
  const client = connect(path)
  try {
    client.run('BEGIN EXCLUSIVE')
    // In this locking mode the lock stays until the connection is closed.
    client.run('ROLLBACK')
    return { foldLog: () => foldLog(client), release: () => client.close(true) }
  } catch (error) {
    client.close(true)
    if (isUnreadable(error)) return null
    throw isBusy(error) ? inUse(path) : error
  }
}

/**
 * SQLite reads the first page before it locks a file to write, and that reading fails here. Where a journal waits to be
 * rolled back, SQLite locks the file first. So the file gets a second name, and that name gets a journal with nothing
 * to roll back: SQLite takes the lock, and changes nothing. Throws where a file can have one name only.
 */
function lockDamaged(path: string, work: WorkFolder): DatabaseLock {
  const name = join(work.path, 'damaged.db')
  giveSecondName(path, name)
  writeFileSync(`${name}-journal`, 'no journal')
  const client = connect(name)
  function release() {
    client.close(true)
    rmSync(name)
    rmSync(`${name}-journal`, { force: true })
  }
  try {
    client.prepare('SELECT count(*) FROM sqlite_schema').all()
  } catch (error) {
    if (isUnreadable(error)) return { foldLog: () => false, release }
    release()
    throw isBusy(error) ? inUse(path) : error
  }
  return { foldLog: () => false, release }
}

function giveSecondName(path: string, name: string): void {
  try {
    linkSync(path, name)
  } catch (error) {
    if (!isSecondNameRefused(error)) throw error
    const reason = 'it is damaged, and its file system cannot give a file a second name (hard link)'
    throw new Error(
      `the database ${path} cannot be locked: ${reason}. Stop the service, move the file away with ${path}-wal, and restore again`,
      { cause: error },
    )
  }
}

function connect(path: string): Database {
  const client = new Database(path, { readwrite: true, create: false })
  client.run('PRAGMA busy_timeout = 0')
  client.run('PRAGMA locking_mode = EXCLUSIVE')
  return client
}

function foldLog(client: Database): boolean {
  try {
    client.run('PRAGMA journal_mode = DELETE')
    return true
  } catch (error) {
    if (isUnreadable(error)) return false
    throw error
  }
}

function inUse(path: string): DatabaseInUse {
  return new DatabaseInUse(
    `the database ${path} is in use: stop the service, and whatever else has it open, first`,
  )
}
