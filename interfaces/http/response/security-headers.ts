/** For answers that are no page: their content may not run, load anything or be framed. */
const POLICY_OF_DATA =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Two years, as is usual. The owner of the domain decides about its other names. */
const TRANSPORT_SECURITY = 'max-age=63072000'

/** Sets the headers on every answer. A page keeps the policy and the cache rule that it has set itself. */
export function setSecurityHeaders(headers: Headers, { isHttps }: { isHttps: boolean }): void {
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('Referrer-Policy', 'no-referrer')
  headers.set('Cross-Origin-Resource-Policy', 'same-origin')
  if (isHttps) headers.set('Strict-Transport-Security', TRANSPORT_SECURITY)
  if (!headers.has('Content-Security-Policy'))
    headers.set('Content-Security-Policy', POLICY_OF_DATA)
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
}
