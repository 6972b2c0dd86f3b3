import { Unavailable } from '../../application/unavailable.ts'

/** The database does not fit this executable, and no attempt is made to use it. */
export class IncompatibleDatabase extends Error {
  override readonly name = 'IncompatibleDatabase'
}

/** It lacks a migration, which a start of the service brings. */
export class OutdatedDatabase extends IncompatibleDatabase {}

/** A check of the whole database has found damage, and no statement has failed on it yet. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase'
}

/**
 * An error as the ports know it: `Unavailable('storage')` where the database failed, else itself. `isOutage` knows the
 * errors of one kind of database, and says which of them blame the database rather than the statement.
 */
export function toStorageError(error: unknown, isOutage: (error: unknown) => boolean): unknown {
  const hasFailed = error instanceof DamagedDatabase || isOutage(error)
  return hasFailed ? new Unavailable('storage', { cause: error }) : error
}
