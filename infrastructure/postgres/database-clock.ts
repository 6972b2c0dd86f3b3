import type { Clock } from '../../application/ports.ts'
import type { ClockMeasurement } from '../../application/upkeep/watch-clock.ts'
import { SECOND_MS } from '../../domain/duration.ts'

/** An answer that waits for a connection or behind others says little, so that some are asked for. */
const QUESTIONS = 3

/** The database cuts its time off after the millisecond. */
const RESOLUTION_MS = 1

/** What one machine's clock gains on another's, or what was measured badly, is less. */
const JUMP_MS = SECOND_MS

// Why: docs/decisions.md#the-time-is-that-of-the-database
export type DatabaseClock = {
  /**
   * The database's time, without asking it. Never goes back, but for a jump of the database's clock by more than a
   * second. Throws before the first measurement.
   */
  readonly clock: Clock
  /**
   * Sets the clock right. Rejects where the database fails to answer; what was measured before stays. A process that
   * was suspended has the wrong time until then.
   */
  measure(): Promise<ClockMeasurement>
}

/** Counts on by `monotonicMs`, milliseconds that pass evenly, from what the database tells. */
export function databaseClock({
  askDatabase,
  monotonicMs,
  machine,
}: {
  /** The database's clock at a moment between the call and the answer; not that of a transaction's beginning. */
  askDatabase: () => Promise<Date>
  monotonicMs: () => number
  machine: Clock
}): DatabaseClock {
  /** By how much the database's time is ahead of `monotonicMs`. */
  let aheadMs: number | null = null
  let reportedMs: number | null = null
  let latestMs = Number.NEGATIVE_INFINITY

  function now(): Date {
    if (aheadMs === null) throw new Error("the database's clock has not been measured yet")
    const nowMs = Math.floor(monotonicMs() + aheadMs)
    const backMs = latestMs - nowMs
    // After a small step back it stands still until it is true again.
    if (backMs < 0 || backMs > JUMP_MS) latestMs = nowMs
    return new Date(latestMs)
  }

  return {
    clock: { now },
    async measure() {
      for (let question = 0; question < QUESTIONS; question++) {
        const askedAtMs = monotonicMs()
        const toldMs = (await askDatabase()).getTime()
        const lowest = toldMs - monotonicMs()
        const highest = toldMs + RESOLUTION_MS - askedAtMs
        aheadMs = corrected(aheadMs, { lowest, highest })
      }
      const movedMs = aheadMs === null || reportedMs === null ? 0 : aheadMs - reportedMs
      reportedMs = aheadMs
      return {
        jumpMs: Math.abs(movedMs) > JUMP_MS ? Math.round(movedMs) : 0,
        machineAheadMs: machine.now().getTime() - now().getTime(),
      }
    },
  }
}

/**
 * The database has told its time between question and answer, so that the truth lies between `lowest` and `highest`.
 * What was known moves as little as that takes: a quick answer says much, and a slow one after it undoes nothing.
 */
function corrected(
  knownMs: number | null,
  { lowest, highest }: { lowest: number; highest: number },
): number {
  const middle = (lowest + highest) / 2
  if (knownMs === null) return middle
  const nearest = Math.min(Math.max(knownMs, lowest), highest)
  return Math.abs(nearest - knownMs) > JUMP_MS ? middle : nearest
}
