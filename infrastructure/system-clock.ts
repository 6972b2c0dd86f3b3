import type { Clock } from '../application/ports.ts'

/** The machine's own clock. */
export function systemClock(): Clock {
  return { now: () => new Date() }
}
