import type { Brand } from './brand.ts'

// Why: docs/decisions.md#log-outs-are-deleted-and-older-tokens-stay-void
/**
 * Logging out everywhere ends every token of an address that was handed out before it, and none that is handed out
 * after it. A clock that was ahead or set back cannot tell before from after. Therefore the database has an epoch, one
 * number for all addresses, which only grows: a logical clock. A token and a verification remember the epoch in which
 * they were made. A log-out begins a new one, and ends those of its address that are from an earlier one.
 */
export type Epoch = Brand<number, 'Epoch'>

/** That of a database in which nobody has logged out. */
export const FIRST_EPOCH = 0 as Epoch

/**
 * The epoch that a log-out begins. It is never smaller than the time in milliseconds, so that it tells the age of the
 * log-out, and is later than epochs that a restored database does not know.
 */
export function nextEpoch(current: Epoch, now: Date): Epoch {
  return (Math.max(current, now.getTime()) + 1) as Epoch
}

/** Whether what was made in the epoch is void by a log-out that began the other one; null where there was none. */
export function isLoggedOut(madeIn: Epoch, loggedOutIn: Epoch | null): boolean {
  return loggedOutIn !== null && madeIn < loggedOutIn
}
