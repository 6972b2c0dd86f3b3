import { Unavailable } from '../../../application/unavailable.ts'

// PostgreSQL's error codes: https://www.postgresql.org/docs/current/errcodes-appendix.html.

/** Five characters, such as `23505` or `57P01`. What the driver and the network throw has other codes, or none. */
const SQLSTATE = /^[0-9A-Z]{5}$/

/**
 * Those that blame the server, its machine, its load or its state rather than the statement: the connection (08), who
 * may connect (28, 3D), resources (53), what is not in a state to be used (55000), an operator (57), the system (58,
 * F0, XX), a standby, which takes no writes and has no unlogged tables (25006, 0A000), an idle session that was ended,
 * missing rights, a lock that was waited for.
 */
const OUTAGE_STATE = /^(?:08|0A000|28|3D|53|55000|57|58|F0|XX|25006|25P0[34]|40003|42501|55P03)/

/** Two transactions were in each other's way, and one of them has to begin again. */
const CONFLICTS = { '40001': 'serialization', '40P01': 'deadlock' } as const

/** Whatever happened, the connection is of no more use, or leads to a server that is none any more. */
const LOST_STATE = /^(?:08|0A000|28|3D|55000|57P|58|F0|XX|25006|25P0[34])/

const LOCK_NOT_AVAILABLE = '55P03'

/** The SQLSTATE of an error of the server; null for any other error. */
export function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return null
  return typeof error.code === 'string' && SQLSTATE.test(error.code) ? error.code : null
}

/**
 * What a statement failed with, as the ports know it: `Unavailable('storage')` where the database failed, which is
 * everything that the server itself does not say; else the server's own error.
 */
export function statementError(error: unknown): unknown {
  if (error instanceof Unavailable) return error
  const state = sqlStateOf(error)
  const isOutage = state === null || OUTAGE_STATE.test(state)
  return isOutage ? new Unavailable('storage', { cause: error }) : error
}

/** Why a transaction that failed with this may succeed when it runs again; null where it will not. */
export function conflictOf(error: unknown): 'serialization' | 'deadlock' | null {
  const state = sqlStateOf(error)
  return state === '40001' || state === '40P01' ? CONFLICTS[state] : null
}

/** Whether a row was locked that a statement would not wait for, or not for longer. */
export function isLockedRow(error: unknown): boolean {
  const cause = error instanceof Unavailable ? error.cause : error
  return sqlStateOf(cause) === LOCK_NOT_AVAILABLE
}

/** Whether the connection on which this happened is to be given up. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Unavailable)) return false
  const state = sqlStateOf(error.cause)
  return state === null || LOST_STATE.test(state)
}

/** The error itself where drizzle has put one of its own around it, whose message would have the bound values. */
export function withoutBoundValues(error: unknown): unknown {
  const isWrapped = error instanceof Error && 'params' in error && 'query' in error
  return isWrapped && error.cause !== undefined ? error.cause : error
}
