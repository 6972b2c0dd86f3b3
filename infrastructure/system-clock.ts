import type { Clock } from '../application/ports.ts'

/** The machine's own clock. */
export function systemClock(): Clock {
  return { now: () => new Date() }
}

/** Milliseconds that pass evenly, even where the clock is set. */
export function monotonicMs(): number {
  return performance.now()
}

/**
 * Resolves after so many milliseconds, or as soon as `until` is aborted, and does not keep the process alive for it.
 */
export function wait(milliseconds: number, until?: AbortSignal): Promise<void> {
  if (until?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    function end() {
      clearTimeout(timer)
      until?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds).unref()
    until?.addEventListener('abort', end)
  })
}

/** The machine's own timers: milliseconds that pass evenly, and what is to be done after some of them. */
export const SYSTEM_TIMERS = {
  monotonicMs,
  schedule(milliseconds: number, act: () => void): () => void {
    const timer = setTimeout(act, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** The machine's own pauses. */
export const SYSTEM_PAUSES = {
  /** Acts when all that this turn of the event loop brought has been seen to. */
  atEndOfTurn: (act: () => void) => void setImmediate(act),
  /** Does not keep the process alive. */
  after: (milliseconds: number, act: () => void) => void setTimeout(act, milliseconds).unref(),
  /** Holds up the whole process. */
  block: (milliseconds: number) => Bun.sleepSync(milliseconds),
}
