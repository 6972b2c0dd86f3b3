import type { RateLimiter, RateLimitSubject, RateLimitVerdict } from '../../../application/ports.ts'
import type { Email } from '../../../domain/email.ts'
import type { PathRules, RateLimitPolicy } from '../paths.ts'
import type { Exchange } from './exchange.ts'
import type { HttpOptions } from './options.ts'
import { findCountedEmail } from './rate-limit-subject.ts'
import { RequestRefused } from './refusal.ts'

/** Notes what the limit says of a request, for its answer. Throws `too_many_requests` for one that is refused. */
export type RateLimitCounter = {
  /** Counts it against the limit of its path: that of an address, or else of the client. */
  count(exchange: Exchange): Promise<void>
  /** As `count`, for the address, or the client where that is null. False, and nothing counted, where it takes time. */
  countAtOnce(exchange: Exchange, email: Email | null): boolean
}

export function rateLimitCounter({
  ports,
  limiters,
}: Pick<HttpOptions, 'ports' | 'limiters'>): RateLimitCounter {
  const limits = {
    general: limitOf('general', limiters.general),
    auth: limitOf('auth', limiters.auth),
    premium: limitOf('premium', limiters.premium),
    logOut: limitOf('auth', limiters.logOut ?? limiters.auth),
    proof: limitOf('auth', limiters.proof ?? limiters.auth),
  }

  function findLimit({ policy, ownBudget, countedFor }: PathRules, email: Email | null) {
    const isOwn = countedFor === 'client' || email !== null
    const budget = (isOwn && ownBudget) || policy
    return budget && limits[budget]
  }

  function note(
    exchange: Exchange,
    { name, policy }: Limit,
    { accepted, remaining, resetMs, width }: RateLimitVerdict,
  ): void {
    const wait = waitSeconds(resetMs)
    exchange.rateLimit = {
      policy,
      limit: `"${name}";r=${remaining};t=${wait}`,
      retryAfter: accepted ? null : String(wait),
    }
    if (accepted) return
    ports.telemetry.record({ kind: 'client_refused', policy: name, width })
    throw new RequestRefused('too_many_requests')
  }

  return {
    async count(exchange) {
      const { policy } = exchange.rules
      if (!policy || !limits[policy]) return
      const email = await findCountedEmail(ports, exchange)
      const limit = findLimit(exchange.rules, email)
      if (limit) note(exchange, limit, await limit.limiter.take(subjectOf(exchange, email)))
    },
    countAtOnce(exchange, email) {
      const limit = findLimit(exchange.rules, email)
      if (!limit) return true
      const verdict = limit.limiter.takeAtOnce?.(subjectOf(exchange, email))
      if (verdict) note(exchange, limit, verdict)
      return verdict !== undefined
    },
  }
}

function subjectOf({ clientAddress }: Exchange, email: Email | null): RateLimitSubject {
  return email === null ? { kind: 'client', address: clientAddress() } : { kind: 'address', email }
}

type Limit = NonNullable<ReturnType<typeof limitOf>>

/** What is the same for all requests that a limiter counts is made once. */
function limitOf(name: RateLimitPolicy, limiter: RateLimiter | null) {
  if (!limiter) return null
  const seconds = Math.ceil(limiter.windowMs / 1000)
  return { name, limiter, policy: `"${name}";q=${limiter.limit};w=${seconds}` }
}

/** In whole seconds, never too early, and never 0, which invites a client to hammer. */
export function waitSeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000))
}
