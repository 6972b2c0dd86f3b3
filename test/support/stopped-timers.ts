import { expect, jest } from 'bun:test'

// Bun's fake timers stop AbortSignal.timeout, Bun.sleep and the waits of SDKs as well, while sockets go on.

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
