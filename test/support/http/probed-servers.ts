import { onTestFinished } from 'bun:test'

/** The address of a server of this machine that answers so, until the test ends. */
export function serve(fetch: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
  onTestFinished(() => server.stop(true))
  return `http://127.0.0.1:${server.port}`
}

/** A server that takes every request and never answers, and whether one has come. */
export function serveSilence(): { url: string; isAsked: () => boolean } {
  let requests = 0
  const url = serve(() => {
    requests++
    return new Promise(() => {})
  })
  return { url, isAsked: () => requests > 0 }
}
