import { HOUR_MS, SECOND_MS } from '../../domain/duration.ts'
import type { Purchase } from '../../domain/purchase.ts'

/** So many that the room at both ends of a window costs little, and so few that they take little memory. */
export const WINDOW_PURCHASES_MAX = 1000
/** Between two purchases further apart, the list would show sessions of nobody who is asked for. */
const GAP_MAX_MS = HOUR_MS
/** A session is made a moment after its purchase, by the provider's clock. */
const ROOM_MIN_MS = 3 * SECOND_MS
/** Where the sessions are far apart, more room costs nothing, and clocks may differ by more. */
const ROOM_PER_LENGTH = 0.05

/**
 * Groups purchases whose sessions are listed together. They come in the order of their making, from anywhere: where
 * that begins anew, so does a group.
 */
export async function* groupPurchases(
  purchases: AsyncIterable<Purchase>,
): AsyncGenerator<readonly Purchase[]> {
  let group: Purchase[] = []
  for await (const purchase of purchases) {
    const last = group.at(-1)
    if (last && (group.length >= WINDOW_PURCHASES_MAX || !isNeighbour(last, purchase))) {
      yield group
      group = []
    }
    group.push(purchase)
  }
  if (group.length > 0) yield group
}

function isNeighbour(before: Purchase, after: Purchase): boolean {
  const apartMs = after.createdAt.getTime() - before.createdAt.getTime()
  return apartMs >= 0 && apartMs <= GAP_MAX_MS
}

/** When the sessions of a group were made, as far as clocks agree; those of others may be shown as well. */
export function windowOf(group: readonly Purchase[]): { since: Date; until: Date } {
  const moments = group.map(({ createdAt }) => createdAt.getTime())
  const [first, last] = [Math.min(...moments), Math.max(...moments)]
  const roomMs = Math.max(ROOM_MIN_MS, (last - first) * ROOM_PER_LENGTH)
  return { since: new Date(first - roomMs), until: new Date(last + roomMs) }
}
