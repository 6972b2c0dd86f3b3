/** For answers that are no page: their content may not run, load anything or be framed. */
const POLICY_OF_DATA =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Two years, as is usual. The owner of the domain decides about its other names. */
const TRANSPORT_SECURITY = 'max-age=63072000'

/** The headers of every answer. A page has a policy and a cache rule of its own instead. */
export function securityHeaders({ isHttps }: { isHttps: boolean }): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(isHttps ? { 'Strict-Transport-Security': TRANSPORT_SECURITY } : {}),
    'Content-Security-Policy': POLICY_OF_DATA,
    'Cache-Control': 'no-store',
  }
}
