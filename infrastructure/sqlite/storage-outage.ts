import { SQLiteError } from 'bun:sqlite'
import { Unavailable } from '../../application/unavailable.ts'

/**
 * SQLite's primary result codes that blame the disk, the file or another process rather than the statement
 * (https://www.sqlite.org/rescode.html).
 */
const OUTAGE_CODE =
  /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL)(?:_|$)/

/** An error as the ports know it: `Unavailable('storage')` where the database failed, else itself. */
export function storageError(error: unknown): unknown {
  const isOutage = error instanceof SQLiteError && OUTAGE_CODE.test(error.code ?? '')
  return isOutage ? new Unavailable('storage', { cause: error }) : error
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
