/** For answers that are no page: nothing they hold may run, load or be framed. */
const POLICY_OF_DATA =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Two years, as is usual. Other names of the domain are their owner's to decide. */
const TRANSPORT_SECURITY = 'max-age=63072000'

/** Every answer is guarded; a page keeps the policy and the cache rule it has set itself. */
export function setSecurityHeaders(headers: Headers, { isHttps }: { isHttps: boolean }): void {
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('Referrer-Policy', 'no-referrer')
  headers.set('Cross-Origin-Resource-Policy', 'same-origin')
  if (isHttps) headers.set('Strict-Transport-Security', TRANSPORT_SECURITY)
  if (!headers.has('Content-Security-Policy'))
    headers.set('Content-Security-Policy', POLICY_OF_DATA)
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
}
