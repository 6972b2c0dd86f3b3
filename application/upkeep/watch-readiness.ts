import { summariseError } from '../error-report.ts'
import type { Ports } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'

/** Whether the service should get visitors; never rejects but for a fault. */
export type Readiness = () => Promise<boolean>

/** A commit costs a write to the disk, and anybody may ask. */
const COMMIT_EVERY_MS = 5000
/** Whoever waits for the end of an outage wants to know soon. */
const COMMIT_AGAIN_MS = 1000

/**
 * Looks at the database whenever it is asked, and whether it takes a commit from time to time, or when it has just failed
 * one. The log is told once when it does not, with the reason, and once when it does again. `monotonicMs` never goes back.
 */
export function watchReadiness(
  ports: Pick<Ports, 'databaseHealth' | 'log'>,
  { monotonicMs }: { monotonicMs: () => number },
): Readiness {
  let isReady = true
  let dueAtMs = Number.NEGATIVE_INFINITY
  let underWay: Promise<boolean> | null = null

  async function look(): Promise<boolean> {
    try {
      await ports.databaseHealth.check()
      const isDoubtful = isReady && ports.databaseHealth.lastWriteFailed()
      if (monotonicMs() < dueAtMs && !isDoubtful) return isReady
      await ports.databaseHealth.checkWritable()
      return conclude(true)
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      // Only the cause: that the storage is unavailable goes without saying.
      if (isReady) ports.log.warn('not ready', { reason: summariseError(error.cause) })
      return conclude(false)
    }
  }

  function conclude(verdict: boolean): boolean {
    if (verdict && !isReady) ports.log.info('ready again')
    isReady = verdict
    dueAtMs = monotonicMs() + (verdict ? COMMIT_EVERY_MS : COMMIT_AGAIN_MS)
    return verdict
  }

  return () => {
    underWay ??= look().finally(() => {
      underWay = null
    })
    return underWay
  }
}
