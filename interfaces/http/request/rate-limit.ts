import type { RateLimiter } from '../../../application/ports.ts'
import type { RateLimitPolicy } from '../paths.ts'
import type { HttpOptions } from './options.ts'
import { findRateLimitSubject, type LimitedRequest } from './rate-limit-subject.ts'

type RateLimitVerdict = {
  readonly accepted: boolean
  /** To be set on every answer, errors too. */
  readonly headers: Readonly<Record<string, string>>
}

const UNLIMITED: RateLimitVerdict = { accepted: true, headers: {} }

/** Counts each request against the limit of its path: that of the token's address, or else of the client. */
export function rateLimitCounter({
  ports,
  limiters,
}: Pick<HttpOptions, 'ports' | 'limiters'>): (
  limited: LimitedRequest,
) => Promise<RateLimitVerdict> {
  const limits = {
    general: limitOf('general', limiters.general),
    auth: limitOf('auth', limiters.auth),
    premium: limitOf('premium', limiters.premium),
  }

  return async (limited) => {
    const { policy } = limited.rules
    const limit = policy && limits[policy]
    if (!limit) return UNLIMITED

    const subject = await findRateLimitSubject(ports, policy, limited)
    const verdict = await limit.limiter.take(subject)
    if (verdict.accepted) return { accepted: true, headers: limit.headersOf(verdict) }
    ports.telemetry.record({ kind: 'client_refused', policy, width: verdict.width })
    const retryAfter = String(waitSeconds(verdict.resetMs))
    return { accepted: false, headers: { ...limit.headersOf(verdict), 'Retry-After': retryAfter } }
  }
}

/** What is the same for all requests that a limiter counts is made once. */
function limitOf(policy: RateLimitPolicy, limiter: RateLimiter | null) {
  if (!limiter) return null
  const { limit, windowMs } = limiter
  const policyText = `"${policy}";q=${limit};w=${Math.ceil(windowMs / 1000)}`
  return {
    limiter,
    /** The fields of the IETF draft draft-ietf-httpapi-ratelimit-headers. */
    headersOf: ({ remaining, resetMs }: { remaining: number; resetMs: number }) => ({
      'RateLimit-Policy': policyText,
      RateLimit: `"${policy}";r=${remaining};t=${waitSeconds(resetMs)}`,
    }),
  }
}

/** In whole seconds, never too early, and never 0, which invites a client to hammer. */
export function waitSeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000))
}
