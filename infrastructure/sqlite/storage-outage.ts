import { SQLiteError } from 'bun:sqlite'
import { Unavailable } from '../../application/unavailable.ts'
import { DamagedDatabase, toStorageError } from '../database/outage.ts'

// SQLite's result codes: https://www.sqlite.org/rescode.html.

/** Those that blame the disk, the file or another process rather than the statement. */
const OUTAGE_CODE =
  /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL)(?:_|$)/

/** Another process is in the way. `LOCKED` is not among them: it is a conflict within one connection. */
const BUSY_CODE = /^SQLITE_BUSY(?:_|$)/

/** Damage, which stays until a backup is put back. */
const DAMAGE_CODE = /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/

/** The disk does not give back what was written to it. */
const READ_ERROR_CODE = /^SQLITE_IOERR_(?:READ|SHORT_READ|DATA|CORRUPTFS)(?:_|$)/

/** How long to wait for another process's write, such as one by an operator's command. */
export const BUSY_TIMEOUT_MS = 5000

/** How long to wait for it between two tries. */
export const BUSY_RETRY_MS = 20

/** An error as the ports know it: `Unavailable('storage')` where the database failed, else itself. */
export function storageError(error: unknown): unknown {
  return toStorageError(error, (thrown) => hasCode(thrown, OUTAGE_CODE))
}

/** Whether another process uses the database in a way that forbids this use. */
export function isBusy(error: unknown): boolean {
  return hasCode(error, BUSY_CODE)
}

/** Whether the file was found damaged, or to be no database at all: the error itself or what it came from. */
export function isDamage(error: unknown): boolean {
  if (hasCode(error, DAMAGE_CODE) || error instanceof DamagedDatabase) return true
  return error instanceof Error && isDamage(error.cause)
}

/** Whether the content cannot be read: the file is damaged, or the disk fails to read it, for now or for good. */
export function isUnreadable(error: unknown): boolean {
  return hasCode(error, DAMAGE_CODE) || hasCode(error, READ_ERROR_CODE)
}

/** Throws the `storageError` of any error that `work` throws. */
export function translateOutage<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw storageError(error)
  }
}

/** For an operator's command: as `translateOutage`, and an outage names the database at the path. */
export function namingDatabase<Result>(path: string, work: () => Result): Result {
  try {
    return translateOutage(work)
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    throw new Error(`the database ${path} cannot be used`, { cause: error.cause })
  }
}

/** Throws `Unavailable('storage')` where the file system fails `work`, such as for a file that cannot be made. */
export function translateFileOutage<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const isOutage = error instanceof Error && 'syscall' in error
    throw isOutage ? new Unavailable('storage', { cause: error }) : error
  }
}

function hasCode(error: unknown, pattern: RegExp): boolean {
  return error instanceof SQLiteError && pattern.test(error.code ?? '')
}
