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

/** Counts the request against the limit of its path: that of the token's address, or else of the client. */
export async function consumeRateLimit(
  { ports, limiters }: Pick<HttpOptions, 'ports' | 'limiters'>,
  limited: LimitedRequest,
): Promise<RateLimitVerdict> {
  const { policy } = limited.rules
  const limiter = policy && limiters[policy]
  if (!limiter) return UNLIMITED

  const subject = await findRateLimitSubject(ports, policy, limited)
  const verdict = await limiter.take(subject)
  if (!verdict.accepted)
    ports.telemetry.record({ kind: 'client_refused', policy, width: verdict.width })
  return {
    accepted: verdict.accepted,
    headers: rateLimitHeaders(policy, limiter, verdict),
  }
}

/** The fields of the IETF draft draft-ietf-httpapi-ratelimit-headers, and Retry-After for a refusal. */
function rateLimitHeaders(
  policy: RateLimitPolicy,
  { limit, windowMs }: RateLimiter,
  { accepted, remaining, resetMs }: Awaited<ReturnType<RateLimiter['take']>>,
): Record<string, string> {
  const seconds = waitSeconds(resetMs)
  return {
    'RateLimit-Policy': `"${policy}";q=${limit};w=${Math.ceil(windowMs / 1000)}`,
    RateLimit: `"${policy}";r=${remaining};t=${seconds}`,
    ...(accepted ? {} : { 'Retry-After': String(seconds) }),
  }
}

/** In whole seconds, never too early, and never 0, which invites a client to hammer. */
export function waitSeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000))
}
