/**
 * What a proxy makes of the X-Forwarded-For that it gets: `sets` it to whom it has heard from, `appends` that, `passes`
 * the visitor's own on, or `drops` it.
 */
export type ForwardedFor = 'sets' | 'appends' | 'passes' | 'drops'

export type ReverseProxy = ReturnType<typeof startReverseProxy>

/** A reverse proxy on a free port of this machine. */
export function startReverseProxy(target: string) {
  const seen: string[] = []
  let manner: ForwardedFor = 'sets'
  let own: ((request: Request) => Response | Promise<Response>) | null = null

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request, self) {
      const visitor = self.requestIP(request)?.address ?? ''
      const { pathname, search } = new URL(request.url)
      seen.push(`${visitor} ${pathname}`)
      if (own) return own(request)

      const headers = new Headers(request.headers)
      headers.delete('host')
      headers.set('accept-encoding', 'identity')
      const forged = headers.get('x-forwarded-for')
      if (manner === 'sets') headers.set('x-forwarded-for', visitor)
      if (manner === 'drops') headers.delete('x-forwarded-for')
      if (manner === 'appends') {
        headers.set('x-forwarded-for', forged === null ? visitor : `${forged}, ${visitor}`)
      }
      try {
        return await fetch(`${target}${pathname}${search}`, { headers, redirect: 'manual' })
      } catch {
        return new Response('<h1>Bad gateway</h1>', { status: 502 })
      }
    },
  })

  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Whom it has heard from, and what they asked for. */
    seen,
    forwardedFor(next: ForwardedFor) {
      manner = next
    },
    /** Answers by itself from now on; null passes on again. */
    answer(next: typeof own) {
      own = next
    },
    stop: () => server.stop(true),
  }
}
