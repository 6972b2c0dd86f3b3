import type {
  RateLimiter,
  RateLimitSubject,
  RateLimitVerdict as Verdict,
} from '../../application/ports.ts'
import type { RateLimitWidth } from '../../application/telemetry.ts'
import type { Email } from '../../domain/email.ts'
import {
  BUDGETS_OF_OTHER_ADDRESSES,
  type Client,
  CROWDS,
  clientOf,
  networkKey,
} from './client-levels.ts'
import { type HitTable, hitTable } from './hit-table.ts'
import type { PlaceKey } from './place-index.ts'

/** One budget that a request is counted against. */
type Counted = {
  readonly width: RateLimitWidth
  readonly limit: number
  readonly key: PlaceKey
  /** 0 where its place is still to be opened. */
  readonly place: number
}

const ADDRESSES_MAX = 65_536
const HITS_OF_ADDRESSES_MAX = 524_288
const PLACES_MAX = 131_072
const HITS_MAX = 1_048_576

/** One /16 of IPv4 or /32 of IPv6 fills at most an eighth of the table, but for its own place. */
const CROWDS_IN_THE_TABLE = 8

const ADDRESS = 1
const OTHER_ADDRESSES = 2

// Why: docs/decisions.md#limits-on-clients-live-in-memory-limits-on-addresses-in-the-database
// Why: docs/decisions.md#a-flood-shares-the-budget-of-its-own-network
/**
 * Remembers every accepted request until its window has passed. At the very end, with the table full of the widest
 * networks, it refuses clients of networks that have no place, until one is free. `seeds` are secret random numbers of
 * 32 bits.
 */
export function slidingWindowLimiter({
  limit,
  windowMs,
  monotonicMs,
  seeds,
  placesMax = PLACES_MAX,
  hitsMax = HITS_MAX,
  addressesMax = ADDRESSES_MAX,
}: {
  limit: number
  windowMs: number
  monotonicMs: () => number
  seeds: readonly [number, number]
  placesMax?: number
  hitsMax?: number
  addressesMax?: number
}): Required<RateLimiter> {
  const clients = hitTable({
    placesMax,
    recordsMax: hitsMax,
    windowMs,
    crowds: CROWDS,
    crowdMax: placesMax / CROWDS_IN_THE_TABLE,
    seeds,
  })
  const addresses = hitTable({
    placesMax: addressesMax,
    recordsMax: HITS_OF_ADDRESSES_MAX,
    windowMs,
    crowds: 1,
    crowdMax: addressesMax,
    seeds,
  })
  let latest = Number.NEGATIVE_INFINITY

  function takeAsAddress(email: Email, now: number): Verdict {
    addresses.forgetExpired(now)
    const key = {
      kind: ADDRESS,
      high: Bun.hash.xxHash32(email, seeds[0]),
      low: Bun.hash.xxHash32(email, seeds[1]),
    }
    const place = addresses.find(key)
    const isOwn = place !== 0 || addresses.hasRoom({ places: 2, hits: 2 })
    const others = { kind: OTHER_ADDRESSES, high: 0, low: 0 }
    const counted: Counted = isOwn
      ? { width: 'address', limit, key, place }
      : {
          width: 'address',
          limit: limit * BUDGETS_OF_OTHER_ADDRESSES,
          key: others,
          place: addresses.find(others),
        }
    return judge(addresses, [counted], { now, crowd: 0 })
  }

  function takeAsClient(address: string | null, now: number): Verdict {
    clients.forgetExpired(now)
    const client = clientOf(address, seeds[0])
    const counted = countedLevels(clients, client, { now, limit })
    const verdict = judge(clients, counted, { now, crowd: client.crowd })
    const [narrowest] = counted
    if (verdict.accepted && narrowest && narrowest.width !== 'client') {
      clients.markShared(clients.find(narrowest.key), now)
    }
    return verdict
  }

  function takeAtOnce(subject: RateLimitSubject): Verdict {
    // Hits are kept in the order of time.
    latest = Math.max(latest, monotonicMs())
    return subject.kind === 'address'
      ? takeAsAddress(subject.email, latest)
      : takeAsClient(subject.address, latest)
  }

  return { limit, windowMs, take: async (subject) => takeAtOnce(subject), takeAtOnce }
}

/**
 * The budgets that a client's request counts against, the narrowest first: the narrowest place that the client has or
 * may still get, and the wider ones that count all of their clients.
 */
function countedLevels(
  table: HitTable,
  client: Client,
  { now, limit }: { now: number; limit: number },
): Counted[] {
  const fill = table.fill(client.crowd)
  const isAnyShared = table.isAnyShared(now)
  const counted: Counted[] = []
  for (const rules of client.widths) {
    const { width, budgets, openedUntil, always } = rules
    const narrower = counted.at(-1)
    // Without a flood, most networks are not even looked up.
    if (narrower && !always && !isAnyShared) continue
    const key = networkKey(client, rules)
    const place = table.find(key)
    const isCounted = narrower
      ? always || mayHaveCounted(table, { place, narrower: narrower.place, now })
      : place !== 0 || fill < openedUntil || rules === client.widths.at(-1)
    if (isCounted) counted.push({ width, limit: limit * budgets, key, place })
  }
  return counted
}

/**
 * Whether a wider place may have counted a client who has had no narrower place before, so that it goes on counting
 * until that is forgotten: else the client could use up both.
 */
function mayHaveCounted(
  table: HitTable,
  { place, narrower, now }: { place: number; narrower: number; now: number },
): boolean {
  if (place === 0 || !table.isShared(place, now)) return false
  return narrower === 0 || table.openedAs(narrower) > table.openedAs(place)
}

/** Accepts a request that every budget has room for, and counts it then. */
function judge(
  table: HitTable,
  counted: readonly Counted[],
  { now, crowd }: { now: number; crowd: number },
): Verdict {
  const refusal = findRefusal(table, counted, now)
  if (refusal) return refusal

  let verdict: Verdict | null = null
  for (const { width, limit, key, place } of counted) {
    const used = place === 0 ? table.open(key, crowd) : place
    table.hit(used, now, limit)
    const remaining = limit - table.count(used)
    if (verdict && verdict.remaining <= remaining) continue
    verdict = { accepted: true, remaining, resetMs: table.waitMs(used, now), width }
  }
  if (!verdict) throw new Error('a request was counted against no budget')
  return verdict
}

/** The budget without room that is waited for longest; null where all have room. */
function findRefusal(table: HitTable, counted: readonly Counted[], now: number): Verdict | null {
  const [narrowest] = counted
  const places = counted.filter(({ place }) => place === 0).length
  if (narrowest && !table.hasRoom({ places, hits: counted.length })) {
    const resetMs = table.shortestWaitMs(now)
    return { accepted: false, remaining: 0, resetMs, width: narrowest.width }
  }
  let refusal: Verdict | null = null
  for (const { width, limit, place } of counted) {
    if (table.count(place) < limit) continue
    const resetMs = table.waitMs(place, now)
    if (refusal && refusal.resetMs >= resetMs) continue
    refusal = { accepted: false, remaining: 0, resetMs, width }
  }
  return refusal
}
