import type { Clock } from '../application/ports.ts'

/** The machine's own clock. */
export function systemClock(): Clock {
  return { now: () => new Date() }
}

/** The machine's own timers: milliseconds that pass evenly, and what is to be done after some of them. */
export const SYSTEM_TIMERS = {
  monotonicMs: () => performance.now(),
  schedule(milliseconds: number, act: () => void): () => void {
    const timer = setTimeout(act, milliseconds)
    return () => clearTimeout(timer)
  },
}
