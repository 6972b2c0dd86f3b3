/** Loopback: only this machine may ask, or a proxy on it for others. */
const HOST = '127.0.0.1'
const IDLE_TIMEOUT_SECONDS = 30

/**
 * The names by which programs on this machine ask. A web page that a browser on it shows asks by the page's own name,
 * which the page's owner may let point here (DNS rebinding).
 */
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/i

export type MetricsListener = {
  readonly url: string
  /** Sets the metrics for all further answers. Until then every answer is 503. */
  use(metrics: { read: () => Promise<string>; contentType: string }): void
  /** Cuts off answers under way. */
  stop(): void
}

/** Binds the port at once, 0 a free one. Throws with the reason when it cannot. */
export function listenForMetrics({
  port,
  onFailure,
}: {
  port: number
  /** Called when the metrics themselves fail; the client is answered 500. */
  onFailure: (error: unknown) => void
}): MetricsListener {
  let metrics: Parameters<MetricsListener['use']>[0] | null = null

  async function answer({ method, url, headers }: Request): Promise<Response> {
    if (!LOOPBACK_HOST.test(headers.get('host') ?? '')) return status(403)
    const isAskedFor = URL.parse(url)?.pathname === '/metrics'
    if (!isAskedFor || (method !== 'GET' && method !== 'HEAD')) return status(404)
    if (!metrics) return status(503)
    try {
      const own = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }
      return new Response(await metrics.read(), { headers: own })
    } catch (error) {
      onFailure(error)
      return status(500)
    }
  }

  const server = Bun.serve({
    hostname: HOST,
    port,
    // Left out, it lets a second process take half of the connections unnoticed.
    reusePort: false,
    development: false,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    maxRequestBodySize: 0,
    fetch: answer,
  })

  return {
    url: `${server.url.origin}/metrics`,
    use(next) {
      metrics = next
    },
    stop: () => void server.stop(true),
  }
}

function status(code: number): Response {
  return new Response(null, { status: code })
}
