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

export function answerPreflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_SECONDS),
    },
  })
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
  const origin = headers.get('origin')
  return origin !== null && corsOrigins.includes(origin) ? readableBy(origin) : null
}

function readableBy(origin: string): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
  }
}
