import fc from 'fast-check'
import type { RateLimitWidth } from '../../application/telemetry.ts'
import { networkOf } from '../../domain/client-network.ts'

/** The widths of each version of IP: how long the prefix is, how many budgets, and until which fill they are opened. */
const WIDTHS = {
  4: [
    { width: 'client', length: 32, budgets: 1, until: 1 / 2, always: true },
    { width: '/24', length: 24, budgets: 4, until: 3 / 4, always: false },
    { width: '/16', length: 16, budgets: 16, until: 1, always: false },
  ],
  6: [
    { width: 'client', length: 64, budgets: 1, until: 1 / 2, always: true },
    { width: '/56', length: 56, budgets: 4, until: 5 / 8, always: true },
    { width: '/48', length: 48, budgets: 16, until: 3 / 4, always: true },
    { width: '/32', length: 32, budgets: 64, until: 1, always: false },
  ],
} as const

type Hit = {
  readonly at: number
  readonly network: string
  readonly crowd: string
  /** Whether the client had no narrower place. */
  readonly isNarrowest: boolean
}

type Verdict = {
  readonly accepted: boolean
  readonly remaining: number
  readonly resetMs: number
  readonly width: RateLimitWidth
}

const below = (count: number) => fc.integer({ min: 0, max: count - 1 })

/** Clients of few networks, so that many of them have one in common. */
export const CLIENT_ADDRESSES = fc.oneof(
  fc
    .tuple(below(6), below(3), below(4))
    .map(([sixteen, third, fourth]) => `10.${sixteen}.${third}.${fourth}`),
  fc
    .tuple(below(3), below(2), below(2), below(3), below(2))
    .map(([a, b, c, d, e]) => `2001:db${a}:${b}:${c}0${d}::${e}`),
)

/** The rules for clients as plain lists, which are counted again for each request. */
export function rateLimitModel({
  limit,
  windowMs,
  placesMax,
  fullWaitMs = null,
}: {
  limit: number
  windowMs: number
  placesMax: number
  /** For how long those wait for whom there is no place; null for until the oldest hit is over. */
  fullWaitMs?: number | null
}) {
  let hits: Hit[] = []
  /** When each network that is counted got its place. */
  const opened = new Map<string, number>()
  let openings = 0

  function levelsOf(address: string) {
    const widths = address.includes(':') ? WIDTHS[6] : WIDTHS[4]
    const cut = (length: number) => String(networkOf(address, { ipv4: length, ipv6: length }))
    const levels = widths.map((one) => ({ ...one, network: cut(one.length) }))
    return { levels, crowd: levels.at(-1)?.network ?? '' }
  }

  function countedLevels(address: string) {
    const { levels, crowd } = levelsOf(address)
    const ofCrowd = new Set(hits.filter((hit) => hit.crowd === crowd).map((hit) => hit.network))
    const fill = Math.max(opened.size / placesMax, ofCrowd.size / (placesMax / 8))
    const narrowest = levels.find(
      ({ network, until, width }) => opened.has(network) || fill < until || /16|32/.test(width),
    )
    const counted = narrowest ? [narrowest] : []
    for (const wider of levels.slice(narrowest ? levels.indexOf(narrowest) + 1 : levels.length)) {
      const age = opened.get(counted.at(-1)?.network ?? '')
      const isShared = hits.some((hit) => hit.network === wider.network && hit.isNarrowest)
      const isYounger = age === undefined || age > (opened.get(wider.network) ?? 0)
      if (wider.always || (isShared && isYounger)) counted.push(wider)
    }
    return { counted, crowd }
  }

  return {
    take(address: string, now: number): Verdict {
      hits = hits.filter(({ at }) => at > now - windowMs)
      for (const network of opened.keys()) {
        if (!hits.some((hit) => hit.network === network)) opened.delete(network)
      }
      const { counted, crowd } = countedLevels(address)
      const stand = ({ network, budgets, width }: (typeof counted)[number]): Verdict => {
        const counting = hits.filter((hit) => hit.network === network)
        const remaining = limit * budgets - counting.length
        const resetMs = (counting[0]?.at ?? now) + windowMs - now
        return { accepted: remaining > 0, remaining, resetMs, width }
      }
      const stands = counted.map(stand)
      const refusals = stands.filter(({ accepted }) => !accepted)
      const added = counted.filter(({ network }) => !opened.has(network))
      if (refusals.length === 0 && opened.size + added.length > placesMax) {
        const resetMs = fullWaitMs ?? (hits[0]?.at ?? now) + windowMs - now
        return { accepted: false, remaining: 0, resetMs, width: stands[0]?.width ?? 'client' }
      }
      const [worst] = refusals.toSorted((one, other) => other.resetMs - one.resetMs)
      if (worst) return worst

      for (const { network } of added) opened.set(network, ++openings)
      const [narrowest] = counted
      for (const level of counted) {
        hits.push({ at: now, network: level.network, crowd, isNarrowest: level === narrowest })
      }
      const [least] = counted.map(stand).toSorted((one, other) => one.remaining - other.remaining)
      if (!least) throw new Error('counted against nothing')
      return { ...least, accepted: true }
    },
  }
}
