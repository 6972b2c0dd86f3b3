import { MINUTE_MS } from '../../domain/duration.ts'

/** Of the time, which on one thread is that of a processor. Requests have the rest. */
const SHARE_MAX = 0.08

/** However short a step was, requests get their turn. */
const PAUSE_MIN_MS = 20

/** What took longer than such a pause makes up for was waiting, as in a machine that was suspended. */
const PAUSE_MAX_MS = MINUTE_MS

/**
 * Has all long work together take no more than its share of time. Work that begins gets a function, to be called after
 * each of its steps: that resolves when the next step may begin, or as soon as `until` is aborted.
 */
export function stepPauses({
  monotonicMs,
  wait,
}: {
  /** Milliseconds that pass evenly, even where the clock is set. */
  monotonicMs: () => number
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  wait: (milliseconds: number, until?: AbortSignal) => Promise<void>
}): (until?: AbortSignal) => () => Promise<void> {
  let nextMs = Number.NEGATIVE_INFINITY

  return (until) => {
    let begunMs = monotonicMs()
    return async () => {
      const nowMs = monotonicMs()
      const owedMs = (nowMs - begunMs) * (1 / SHARE_MAX - 1)
      nextMs = Math.max(nowMs, nextMs) + Math.min(Math.max(owedMs, PAUSE_MIN_MS), PAUSE_MAX_MS)
      await wait(nextMs - nowMs, until)
      begunMs = monotonicMs()
    }
  }
}
