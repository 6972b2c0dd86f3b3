import { SQLiteError } from 'bun:sqlite'
import { Unavailable } from '../../application/unavailable.ts'

/**
 * SQLite's primary result codes that blame the disk, the file or another process rather than the statement
 * (https://www.sqlite.org/rescode.html).
 */
const OUTAGE_CODE =
  /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL)(?:_|$)/

/** Throws `Unavailable('storage')` where the database fails `work`. Other errors pass through. */
export function translateOutage<Result>(work: () => Result): Result {
  return translate(
    work,
    (error) => error instanceof SQLiteError && OUTAGE_CODE.test(error.code ?? ''),
  )
}

/** As `translateOutage`, where the file system does: a folder or a file cannot be made or looked at. */
export function translateFileOutage<Result>(work: () => Result): Result {
  return translate(work, (error) => error instanceof Error && 'syscall' in error)
}

function translate<Result>(work: () => Result, isOutage: (error: unknown) => boolean): Result {
  try {
    return work()
  } catch (error) {
    if (isOutage(error)) throw new Unavailable('storage', { cause: error })
    throw error
  }
}
