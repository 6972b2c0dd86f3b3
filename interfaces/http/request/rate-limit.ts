import { authenticate } from '../../../application/access/authenticate.ts'
import type { Ports, RateLimiter } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { DomainError } from '../../../domain/errors.ts'
import { waitSeconds } from '../response/errors.ts'
import { findBearerToken } from './bearer.ts'
import { clientKey } from './client-address.ts'
import type { HttpOptions, RateClass } from './options.ts'

const PREMIUM_PATHS = ['/premium-reasons', '/i18n']
const EXEMPT_PATHS = [
  '/webhook/stripe',
  '/webhook/payment',
  '/health',
  '/ready',
  '/app',
  '/docs',
  '/openapi.json',
]
const EXEMPT_FOLDERS = ['/sandbox/', '/assets/']

/** The budget a path belongs to, unknown paths too; null for one that is not limited. */
export function rateClassOf(path: string): RateClass | null {
  if (path.startsWith('/auth/')) return 'auth'
  if (PREMIUM_PATHS.includes(path)) return 'premium'
  const isExempt =
    EXEMPT_PATHS.includes(path) || EXEMPT_FOLDERS.some((folder) => path.startsWith(folder))
  return isExempt ? null : 'general'
}

export type RateLimitVerdict = {
  readonly accepted: boolean
  /** To be set on the answer, whatever it is. */
  readonly headers: Readonly<Record<string, string>>
}

const UNLIMITED: RateLimitVerdict = { accepted: true, headers: {} }

/** Takes a place in the client's budget for the path. */
export async function takePlace(
  { ports, limiters }: Pick<HttpOptions, 'ports' | 'limiters'>,
  { path, headers, address }: { path: string; headers: Headers; address: string | null },
): Promise<RateLimitVerdict> {
  const rateClass = rateClassOf(path)
  const limiter = rateClass && limiters[rateClass]
  if (!limiter) return UNLIMITED

  const holder = rateClass === 'premium' ? await findTokenHolder(ports, headers) : null
  const place = await limiter.take(holder ?? clientKey(address))
  if (!place.accepted) ports.telemetry.record({ kind: 'client_refused', budget: rateClass })
  return { accepted: place.accepted, headers: rateLimitHeaders(rateClass, limiter, place) }
}

/** Null without a token that counts. Cannot be mistaken for a client's key: only an address has an @. */
async function findTokenHolder(
  ports: Pick<Ports, 'tokens' | 'logOuts' | 'secrets' | 'clock'>,
  headers: Headers,
): Promise<string | null> {
  const token = findBearerToken(headers.get('authorization'))
  if (token === null) return null
  try {
    return await authenticate(ports, token)
  } catch (error) {
    // Whoever is not known is counted as a client. What is wrong with the token is for the route to say.
    if (error instanceof DomainError || error instanceof Unavailable) return null
    throw error
  }
}

/** The fields of the IETF draft draft-ietf-httpapi-ratelimit-headers, and Retry-After for a refusal. */
function rateLimitHeaders(
  rateClass: RateClass,
  { limit, windowMs }: RateLimiter,
  { accepted, remaining, resetMs }: Awaited<ReturnType<RateLimiter['take']>>,
): Record<string, string> {
  const seconds = waitSeconds(resetMs)
  return {
    'RateLimit-Policy': `"${rateClass}";q=${limit};w=${Math.ceil(windowMs / 1000)}`,
    RateLimit: `"${rateClass}";r=${remaining};t=${seconds}`,
    ...(accepted ? {} : { 'Retry-After': String(seconds) }),
  }
}
