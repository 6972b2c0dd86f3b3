import { type Finding, findingsOn } from './finding.ts'

/** What an answer says of the rate limit that counted its request; null where no limit did. */
export type Draw = {
  readonly isAccepted: boolean
  readonly limit: number
  readonly remaining: number
} | null

/**
 * The limits of requests that went through PUBLIC_URL. Each request had a forged X-Forwarded-For that no client has
 * used before: the first two differ. The third repeats the first, where the second request had a limit of its own.
 */
export type ProxyFacts = {
  readonly first: Draw
  readonly second: Draw
  readonly again: Draw
  /**
   * Whether this machine reaches the proxy from an address in TRUSTED_PROXIES. Such an address may forward any other.
   */
  readonly isVisitorTrusted: boolean
}

/** Whether a visitor can choose the address that Alibi counts requests by. */
export function checkProxy(facts: ProxyFacts | null): readonly Finding[] {
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

/** A forged address that counts has a limit of its own, and the same limit when it is repeated. */
function isForgeable({ first, second, again }: ProxyFacts): boolean {
  return usedOf(first) === 1 && usedOf(second) === 1 && usedOf(again) === 2
}

/** How many requests the limit has seen; a refused one counts as one too many. */
function usedOf(draw: Draw): number {
  if (!draw) return 0
  return draw.isAccepted ? draw.limit - draw.remaining : draw.limit + 1
}
