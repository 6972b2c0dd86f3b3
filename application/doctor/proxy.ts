import { type Finding, findingsOn } from './finding.ts'

/** What an answer says of the budget that its request drew on; null where none is limited. */
export type Draw = {
  readonly isAccepted: boolean
  readonly limit: number
  readonly remaining: number
} | null

/**
 * What the budgets say of requests by way of PUBLIC_URL, each with a forged X-Forwarded-For that no other client has
 * used before: two with different ones, and one with the first of them again where the second drew on a new budget.
 */
export type ProxyFacts = {
  readonly first: Draw
  readonly second: Draw
  readonly again: Draw
  /** Whether this machine comes to the proxy from an address in TRUSTED_PROXIES, which may forward any address. */
  readonly isVisitorTrusted: boolean
}

/** Whether a visitor can choose the address that Alibi counts requests by. */
export function judgeProxy(facts: ProxyFacts | null): readonly Finding[] {
  const { ok, skipped, failed } = findingsOn('proxy')
  if (!facts) return [skipped('what is behind PUBLIC_URL has to be ready first')]
  if (!facts.first || !facts.second) {
    return [
      skipped(
        'no answer has a RateLimit: RATE_LIMIT_GENERAL is off, or the proxy takes the header away',
      ),
    ]
  }
  if (!isForgeable(facts)) return [ok('a forged X-Forwarded-For is not believed')]
  if (facts.isVisitorTrusted) {
    return [skipped('it cannot be told from this machine, whose address is in TRUSTED_PROXIES')]
  }
  return [
    failed(
      'whoever sends an X-Forwarded-For of their own is believed, and has a new budget each time',
      'let the proxy set the header itself (Caddy does; nginx: proxy_set_header X-Forwarded-For $remote_addr), and have nothing but proxies in TRUSTED_PROXIES',
    ),
  ]
}

/** A forged address that counts has a new budget, and the same one when it comes again. */
function isForgeable({ first, second, again }: ProxyFacts): boolean {
  return usedOf(first) === 1 && usedOf(second) === 1 && usedOf(again) === 2
}

/** The requests that have asked for a place in the budget; a refused one counts as one too many. */
function usedOf(draw: Draw): number {
  if (!draw) return 0
  return draw.isAccepted ? draw.limit - draw.remaining : draw.limit + 1
}
