import { read } from 'bun:ffi'
import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { codeOf } from '../files/node-errors.ts'
import { openLibc } from '../libc.ts'
import { createDatabaseFile } from './database.ts'
import { resolveDatabasePath } from './files.ts'
import { lockFileBeside, type ServingLock } from './serving-lock-file.ts'
import { translateFileOutage } from './storage-outage.ts'

/** Locks the database at an absolute path. Null where another process holds it. Throws where it does not work here. */
type Way = (path: string) => ServingLock | null

const FUNCTIONS = {
  flock: { args: ['i32', 'i32'], returns: 'i32' },
  __errno_location: { args: [], returns: 'ptr' },
} as const

// The same numbers on every architecture that Bun runs on (flock(2), errno(3)).
const LOCK_EX = 2
const LOCK_NB = 4
const EWOULDBLOCK = 11

// Why: docs/decisions.md#one-service-at-a-time-has-the-database
/**
 * The lock of the service on a database, which is made where there is none; null where another process holds it. Does
 * not wait. Unlike the id of a process, it holds across containers that share the file. Throws `Unavailable('storage')`
 * where the file cannot be made or opened.
 */
export function tryServingLock(
  databasePath: string,
  ways: readonly Way[] = [lockDatabaseFile, lockFileBeside],
): ServingLock | null {
  const path = translateFileOutage(() => resolveDatabasePath(databasePath))
  translateFileOutage(() => createDatabaseFile(path))
  let failure: unknown
  for (const lock of ways) {
    try {
      return lock(path)
    } catch (error) {
      failure = error
    }
  }
  return translateFileOutage(() => {
    throw failure
  })
}

/**
 * Locks the file of the database itself, by a lock that is none of SQLite's. The file stays open until SQLite has
 * closed it: to close it sooner would drop SQLite's own locks (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 */
function lockDatabaseFile(path: string): ServingLock | null {
  const { flock, __errno_location: errnoLocation } = openLibc(FUNCTIONS)
  for (;;) {
    const file = open(path)
    const isLocked = flock(file, LOCK_EX | LOCK_NB) === 0
    const location = errnoLocation()
    const errno = isLocked || location === null ? 0 : read.i32(location)
    const isInPlace = () => statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino
    // Otherwise a restore has put another file in its place meanwhile.
    if (isLocked && isInPlace()) return { isInPlace, release: () => closeSync(file) }
    closeSync(file)
    if (isLocked) continue
    if (errno === EWOULDBLOCK) return null
    throw new Error(`${path} cannot be locked`)
  }
}

/** A disk, or a file, that is only to be read can be locked as well. */
function open(path: string): number {
  try {
    return openSync(path, 'r+')
  } catch (error) {
    if (!['EROFS', 'EACCES'].includes(String(codeOf(error)))) throw error
    return openSync(path, 'r')
  }
}
