import { expect, jest, onTestFinished } from 'bun:test'

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

/**
 * What the work comes to when its time is over, and not a millisecond earlier. Timers stand still until it waits for
 * what never comes, so that the time is over for nothing else. `Bun.sleep` is one of them.
 */
export async function whenLate<Value>(
  milliseconds: number,
  work: () => Promise<Value>,
  isWaiting: () => boolean | Promise<boolean>,
): Promise<Value> {
  using _ = stopTimers()
  let isOver = false
  const end = work().finally(() => {
    isOver = true
  })
  while (!(await isWaiting())) await turn()
  jest.advanceTimersByTime(milliseconds - 1)
  await turn()
  expect(isOver).toBe(false)
  jest.advanceTimersByTime(1)
  return await end
}

/** Timers stand still until the end of the block, but for what `jest` moves them. */
export function stopTimers(): Disposable {
  jest.useFakeTimers()
  return { [Symbol.dispose]: () => void jest.useRealTimers() }
}

/** Lets happen what needs no time. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
