import type { HttpOptions } from '../request/options.ts'

/** A browser's memory of a preflight; Chromium keeps none longer. */
const PREFLIGHT_MAX_AGE_SECONDS = 7200

const METHODS = 'GET, HEAD, POST'
const REQUEST_HEADERS = 'Authorization, Content-Type'
const EXPOSED_HEADERS =
  'RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, Deprecation, Link'

/** A browser asking, on a page's behalf, whether it may send a request (Fetch standard, "CORS-preflight fetch"). */
export function isPreflight({ method, headers }: Request): boolean {
  return (
    method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')
  )
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

/** Lets pages of the allowed origins read an answer of any status. Credentials are never allowed. */
export function allowOrigin(
  headers: Headers,
  corsOrigins: HttpOptions['corsOrigins'],
  origin: string | null,
): void {
  if (corsOrigins !== '*') headers.append('Vary', 'Origin')
  const allowed = corsOrigins === '*' ? '*' : corsOrigins.find((one) => one === origin)
  if (allowed === undefined) return
  headers.set('Access-Control-Allow-Origin', allowed)
  headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
}
