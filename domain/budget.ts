import type { ClientNetwork } from './client-network.ts'
import { isFromFuture } from './clock-skew.ts'

/** Something that is counted. The network is null for a holder of a token, and where nobody noted it. */
export type Counted = { readonly at: Date; readonly network: ClientNetwork | null }

/** At most so many within any window of that length. */
export type Limit = { readonly max: number; readonly windowMs: number }

/** What a client network gets of a limit: at most half. */
export function halfOf({ max, windowMs }: Limit): Limit {
  return { max: Math.floor(max / 2), windowMs }
}

/** Those that happened within the window. One from the future has not happened. */
export function within<Item extends { readonly at: Date }>(
  counted: readonly Item[],
  windowMs: number,
  now: Date,
): Item[] {
  const since = now.getTime() - windowMs
  return counted.filter(({ at }) => at.getTime() > since && !isFromFuture(at, now))
}

/** The moment at which one more is within every limit; null where it is now. */
export function refusedUntil(
  counted: readonly Counted[],
  limits: readonly Limit[],
  now: Date,
): Date | null {
  return latest(limits.map((limit) => refusedUntilBy(counted, limit, now)))
}

function refusedUntilBy(
  counted: readonly Counted[],
  { max, windowMs }: Limit,
  now: Date,
): Date | null {
  // A clock that was set back leaves them out of order.
  const moments = within(counted, windowMs, now).map(({ at }) => at.getTime())
  const oldestCounted = moments.sort((left, right) => left - right).at(-max)
  return oldestCounted === undefined ? null : new Date(oldestCounted + windowMs)
}

/** Of these refusals the one that ends last; null without any. */
export function latest(moments: readonly (Date | null)[]): Date | null {
  return moments.reduce(
    (last, moment) => (moment && !(last && last > moment) ? moment : last),
    null,
  )
}
