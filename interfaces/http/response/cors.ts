import type { HttpOptions } from '../request/options.ts'

/** A browser's memory of a preflight; Chromium keeps none longer. */
const PREFLIGHT_MAX_AGE_SECONDS = 7200

const METHODS = 'GET, HEAD, POST'
const REQUEST_HEADERS = 'Authorization, Content-Type'
const EXPOSED_HEADERS =
  'RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, Deprecation, Link'

/** A browser asking, on a page's behalf, whether it may send a request (Fetch standard, "CORS-preflight fetch"). */
export function isPreflight(request: Request): boolean {
  if (request.method !== 'OPTIONS') return false
  return request.headers.has('origin') && request.headers.has('access-control-request-method')
}

/**
 * In development, pages of the allowed origins may ask a service on the developer's own machine: some browsers want to
 * be told so (https://wicg.github.io/private-network-access).
 */
export function answerPreflight(
  { corsOrigins, development }: Pick<HttpOptions, 'corsOrigins' | 'development'>,
  { headers }: Pick<Request, 'headers'>,
): Response {
  const isAskedInside = headers.get('access-control-request-private-network') === 'true'
  const isAllowedInside = development && isAskedInside && isAllowed(corsOrigins, headers)
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_SECONDS),
      ...(isAllowedInside ? { 'Access-Control-Allow-Private-Network': 'true' } : {}),
    },
  })
}

function isAllowed(corsOrigins: HttpOptions['corsOrigins'], headers: Headers): boolean {
  return corsOrigins === '*' || corsOrigins.includes(headers.get('origin') ?? '')
}

/**
 * The headers by which pages of the allowed origins may read an answer of any status, where they are the same for every
 * request. Credentials are never allowed.
 */
export function corsHeaders(corsOrigins: HttpOptions['corsOrigins']): Record<string, string> {
  return corsOrigins === '*' ? readableBy('*') : { Vary: 'Origin' }
}

/** Those that depend on the origin that asks, where only some are allowed; null for none. */
export function originHeaders(
  corsOrigins: HttpOptions['corsOrigins'],
  { headers }: Pick<Request, 'headers'>,
): Record<string, string> | null {
  if (corsOrigins === '*') return null
  return isAllowed(corsOrigins, headers) ? readableBy(headers.get('origin') ?? '') : null
}

function readableBy(origin: string): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
  }
}
