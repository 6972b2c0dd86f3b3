import { type Finding, findingsOn } from './finding.ts'

/** What an answer says of the budget that its request drew on; null where none is limited. */
export type Draw = {
  readonly isAccepted: boolean
  readonly limit: number
  readonly remaining: number
} | null

export type ProxyFacts = {
  /** Requests straight to the service, one before those through the proxy and one after; null where none was answered. */
  readonly direct: { readonly before: Draw; readonly after: Draw } | null
  /**
   * Through the proxy, in between, with two different forged X-Forwarded-For that nobody has used before; and with the
   * first of them again, where the second drew on a budget of its own.
   */
  readonly forged: { readonly first: Draw; readonly second: Draw; readonly again: Draw }
  /** Whether the address from which this machine comes to the proxy is itself a trusted one. */
  readonly isVisitorTrusted: boolean
  /** Whether this machine comes to the proxy from the very address from which it comes to the service. */
  readonly isVisitorDirect: boolean
  /** Whether a proxy on this machine would be trusted. */
  readonly isLoopbackTrusted: boolean
}

/** How the proxy passes on whom it heard from, told by the budgets that its requests draw on. */
export function judgeProxy(facts: ProxyFacts | null): readonly Finding[] {
  const { ok, skipped, warning, failed } = findingsOn('proxy')
  if (!facts) return [skipped('what is behind PUBLIC_URL has to be ready first')]
  const { direct, isVisitorTrusted, isVisitorDirect, isLoopbackTrusted } = facts
  const { first, second } = facts.forged
  if (!first || !second) {
    return [
      skipped(
        direct?.before
          ? 'the header RateLimit does not come through it: nothing shows whether visitors are told apart'
          : 'no answer has a RateLimit, as where RATE_LIMIT_GENERAL is off: nothing shows whether visitors are told apart',
      ),
    ]
  }
  if (!first.isAccepted || !second.isAccepted) {
    if (direct?.before?.isAccepted === false && !isVisitorDirect) {
      return [
        warning(
          'the budgets of this machine and of visitors through the proxy are used up together',
          `${trustAdvice(isLoopbackTrusted)}; or try again when the budget is there again`,
        ),
      ]
    }
    return [skipped('this machine has asked too often of late: try again when its budget is back')]
  }
  if (second.remaining >= first.remaining) {
    if (!isForgeable(facts.forged)) {
      return [skipped('requests come through it by several ways: it cannot be told')]
    }
    if (isVisitorTrusted) {
      return [skipped('it cannot be told from this machine, whose address is in TRUSTED_PROXIES')]
    }
    return [
      failed(
        'whoever sends an X-Forwarded-For of their own is believed, and has a new budget each time',
        'let the proxy set the header itself (Caddy does; nginx: proxy_set_header X-Forwarded-For $remote_addr), and have nothing but proxies in TRUSTED_PROXIES',
      ),
    ]
  }

  if (!direct?.before || !direct.after) {
    return [ok('a forged X-Forwarded-For is not believed')]
  }
  const { before, after } = direct
  const isOneBudget = before.remaining > first.remaining && second.remaining > after.remaining
  if (isOneBudget && isVisitorDirect) {
    return [
      skipped(
        'it cannot be told from this machine, which looks alike to the proxy and to the service',
      ),
    ]
  }
  if (isOneBudget) {
    return [
      failed(
        'all visitors share one budget: Alibi sees the proxy instead of them',
        trustAdvice(isLoopbackTrusted),
      ),
    ]
  }
  if (before.remaining - after.remaining !== 1) {
    return [skipped('too much is going on to tell visitors from this machine: try again')]
  }
  return [ok('visitors are told apart, and a forged X-Forwarded-For is not believed')]
}

/** A forged address that counts has a budget that nobody has drawn on, and keeps it. */
function isForgeable({ first, second, again }: ProxyFacts['forged']): boolean {
  return usedOf(first) === 1 && usedOf(second) === 1 && usedOf(again) === 2
}

function usedOf(draw: Draw): number {
  return draw ? draw.limit - draw.remaining : 0
}

function trustAdvice(isLoopbackTrusted: boolean): string {
  return isLoopbackTrusted
    ? 'let the proxy send X-Forwarded-For (Caddy does; nginx: proxy_set_header X-Forwarded-For $remote_addr)'
    : 'set TRUSTED_PROXIES to the address from which the proxy connects, 127.0.0.1 on this machine'
}
