import { MINUTE_MS } from './duration.ts'

/**
 * By how much clocks may differ: those of two machines, of one and of a provider, or one before and after it was set
 * right.
 */
export const SKEW_MAX_MS = MINUTE_MS

/** The last moment at which something may say that it was made. */
export function latestMoment(now: Date): Date {
  return new Date(now.getTime() + SKEW_MAX_MS)
}

/**
 * Whether something says that it was made more than a minute after `now`: the clock was ahead then. What says so counts
 * as not there, so that it does not live on, or forbid anything, until the clock gets there again.
 */
export function isFromFuture(madeAt: Date, now: Date): boolean {
  return madeAt.getTime() - now.getTime() > SKEW_MAX_MS
}
