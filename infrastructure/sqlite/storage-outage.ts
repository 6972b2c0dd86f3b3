import { SQLiteError } from 'bun:sqlite'
import { Unavailable } from '../../application/unavailable.ts'

/**
 * SQLite's primary result codes that blame the disk, the file or another process rather than the statement
 * (https://www.sqlite.org/rescode.html).
 */
const OUTAGE_CODE =
  /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL)(?:_|$)/

/** What stays as it is until a backup is put back. */
const DAMAGE_CODE = /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/

/** What a check of the whole file has found, where SQLite itself has not thrown anything yet. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase'
}

/** An error as the ports know it: `Unavailable('storage')` where the database failed, else itself. */
export function storageError(error: unknown): unknown {
  const isOutage = error instanceof SQLiteError && OUTAGE_CODE.test(error.code ?? '')
  return isOutage || error instanceof DamagedDatabase
    ? new Unavailable('storage', { cause: error })
    : error
}

/** Whether the file was found damaged, or to be no database at all: the error itself or what it came from. */
export function isDamage(error: unknown): boolean {
  if (error instanceof SQLiteError) return DAMAGE_CODE.test(error.code ?? '')
  return error instanceof DamagedDatabase || (error instanceof Error && isDamage(error.cause))
}

/** Throws the `storageError` of whatever `work` throws. */
export function translateOutage<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw storageError(error)
  }
}

/** Throws `Unavailable('storage')` where the file system fails `work`: a folder or a file cannot be made or looked at. */
export function translateFileOutage<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const isOutage = error instanceof Error && 'syscall' in error
    throw isOutage ? new Unavailable('storage', { cause: error }) : error
  }
}
