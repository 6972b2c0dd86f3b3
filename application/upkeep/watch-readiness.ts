import { summariseError } from '../error-report.ts'
import type { Ports } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'

/** Whether the service should get visitors. Rejects for a fault alone. */
export type Readiness = () => Promise<boolean>

/** A commit costs a write to the disk, and any client may ask. */
const COMMIT_EVERY_MS = 5000
/** The end of an outage has to show soon. */
const COMMIT_AGAIN_MS = 1000

/**
 * Checks the database at each call, and tries a commit from time to time, or right after a failed write. Logs once when
 * the database fails, with the reason, and once when it is back. `monotonicMs` never goes back.
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
      if (isReady) ports.log('readiness.lost', { reason: summariseError(error.cause) })
      return conclude(false)
    }
  }

  function conclude(verdict: boolean): boolean {
    if (verdict && !isReady) ports.log('readiness.restored')
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
