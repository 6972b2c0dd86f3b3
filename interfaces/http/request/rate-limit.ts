import { type MaybePromise, whenKnown } from '../../../application/maybe-promise.ts'
import type { RateLimiter, RateLimitVerdict } from '../../../application/ports.ts'
import type { RateLimitPolicy } from '../paths.ts'
import type { HttpOptions } from './options.ts'
import { findCounted, type LimitedRequest } from './rate-limit-subject.ts'

/** The fields of the IETF draft draft-ietf-httpapi-ratelimit-headers, and Retry-After for a refusal. */
export type RateLimitFields = {
  /** RateLimit-Policy, the same for every request that the limit counts. */
  readonly policy: string
  /** RateLimit. */
  readonly limit: string
  /** Null for a request that is accepted. */
  readonly retryAfter: string | null
}

/**
 * Counts each request against the limit of its path: that of an address, or else of the client. Returns what its answer
 * has to say of that, or null where nothing limits it.
 */
export function rateLimitCounter({
  ports,
  limiters,
}: Pick<HttpOptions, 'ports' | 'limiters'>): (
  limited: LimitedRequest,
) => MaybePromise<RateLimitFields | null> {
  const limits = {
    general: limitOf('general', limiters.general),
    auth: limitOf('auth', limiters.auth),
    premium: limitOf('premium', limiters.premium),
    logOut: limitOf('auth', limiters.logOut ?? limiters.auth),
    proof: limitOf('auth', limiters.proof ?? limiters.auth),
  }

  return (limited) => {
    const { policy } = limited.rules
    if (!policy || !limits[policy]) return null
    return whenKnown(findCounted(ports, policy, limited), ({ budget, subject }) => {
      const limit = limits[budget]
      return (
        limit &&
        whenKnown(limit.limiter.take(subject), (verdict) => fieldsOf(policy, limit, verdict))
      )
    })
  }

  function fieldsOf(
    policy: RateLimitPolicy,
    limit: NonNullable<ReturnType<typeof limitOf>>,
    { accepted, remaining, resetMs, width }: RateLimitVerdict,
  ): RateLimitFields {
    if (!accepted) ports.telemetry.record({ kind: 'client_refused', policy, width })
    const wait = waitSeconds(resetMs)
    return {
      policy: limit.policy,
      limit: `"${policy}";r=${remaining};t=${wait}`,
      retryAfter: accepted ? null : String(wait),
    }
  }
}

/** What is the same for all requests that a limiter counts is made once. */
function limitOf(policy: RateLimitPolicy, limiter: RateLimiter | null) {
  if (!limiter) return null
  const seconds = Math.ceil(limiter.windowMs / 1000)
  return { limiter, policy: `"${policy}";q=${limiter.limit};w=${seconds}` }
}

/** In whole seconds, never too early, and never 0, which invites a client to hammer. */
export function waitSeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000))
}
