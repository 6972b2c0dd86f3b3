import type { RateLimiter, RateLimitSubject } from '../application/ports.ts'
import { networkOf, ONE_CLIENT } from '../domain/client-network.ts'

/** Clients that find no place share buckets. There is one bucket for so many places. */
const PLACES_PER_OVERFLOW_BUCKET = 16

/** An accepted request that still counts: its client, and its moment in milliseconds. */
type Hit = { readonly client: string; readonly at: number }

// Why: docs/decisions.md#limits-on-clients-live-in-memory-limits-on-addresses-in-the-database
/**
 * Remembers every hit until its window has passed, for `clientsMax` clients at once. Further clients share buckets
 * until a place becomes free, and each bucket has the limit of one client. Even then no client exceeds the limit, and
 * no client that is being counted is forgotten.
 */
export function slidingWindowLimiter({
  limit,
  windowMs,
  monotonicMs,
  clientsMax = 50_000,
}: {
  limit: number
  windowMs: number
  monotonicMs: () => number
  clientsMax?: number
}): RateLimiter {
  // In the order of each client's last hit, so that idle clients come first.
  const clients = new Map<string, Hit[]>()
  const overflow = new Map<number, Hit[]>()
  const overflowBuckets = Math.ceil(clientsMax / PLACES_PER_OVERFLOW_BUCKET)

  function forgetIdleClients(now: number): void {
    for (const [client, hits] of clients) {
      const last = hits.at(-1)
      if (last && isLive(last, now)) return
      clients.delete(client)
    }
  }

  function isLive({ at }: Hit, now: number): boolean {
    return at > now - windowMs
  }

  function forgetExpired(hits: Hit[], now: number): Hit[] {
    const firstLive = hits.findIndex((hit) => isLive(hit, now))
    hits.splice(0, firstLive === -1 ? hits.length : firstLive)
    return hits
  }

  function keepInOrder(client: string, hits: Hit[]): void {
    clients.delete(client)
    clients.set(client, hits)
  }

  /** The bucket of a client that has no place of its own, or null. */
  function findBucket(client: string, now: number): Hit[] | null {
    if (clients.has(client)) return null
    const index = Bun.hash.crc32(client) % overflowBuckets
    const bucket = forgetExpired(overflow.get(index) ?? [], now)
    // A client with hits in the bucket stays there until they have expired.
    const isCounted = bucket.some((hit) => hit.client === client)
    if (!isCounted && clients.size < clientsMax) return null
    overflow.set(index, bucket)
    return bucket
  }

  return {
    limit,
    windowMs,
    async take(subject) {
      const client = keyOf(subject)
      const now = monotonicMs()
      forgetIdleClients(now)
      const bucket = findBucket(client, now)
      const hits = bucket ?? forgetExpired(clients.get(client) ?? [], now)

      const accepted = hits.length < limit
      if (accepted) {
        hits.push({ client, at: now })
        if (!bucket) keepInOrder(client, hits)
      }
      const [oldest] = hits
      return {
        accepted,
        remaining: limit - hits.length,
        resetMs: oldest ? oldest.at + windowMs - now : 0,
      }
    },
  }
}

/** Cannot be mistaken for another subject's: only an address has an @. */
function keyOf(subject: RateLimitSubject): string {
  return subject.kind === 'address' ? subject.email : networkOf(subject.address, ONE_CLIENT)
}
