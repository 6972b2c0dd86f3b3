import { expect, onTestFinished } from 'bun:test'

/** For all the waiting of a probe and whatever the machine does besides. */
const SOON_MS = 3000

/** The address of a server of this machine that answers so, until the test ends. */
export function serve(fetch: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
  onTestFinished(() => server.stop(true))
  return `http://127.0.0.1:${server.port}`
}

/** The address of a server that takes every request and never answers. */
export function serveSilence(): string {
  return serve(() => new Promise(() => {}))
}

/** What the work gives; fails the test where that takes as long as if a server was waited for without an end. */
export async function quickly<Value>(work: Promise<Value>): Promise<Value> {
  const startedAt = performance.now()
  const value = await work
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS)
  return value
}
