import { logFailure } from '../error-report.ts'
import type { Ports } from '../ports.ts'
import type { SweepName } from '../store.ts'
import { Unavailable } from '../unavailable.ts'

/** How many objects were looked at, how many facts changed, and how many objects could not be read. */
export type Tally = {
  readonly checked: number
  readonly repaired: number
  readonly failed: number
}

/**
 * Looks at one object; `look` says how many facts changed. Of an object that is `dispensable` a failure hides nothing:
 * the same run finds out in another way.
 */
export type IsolatedStep = (
  object: string,
  look: () => Promise<number>,
  rules?: { dispensable: boolean },
) => Promise<Tally>

/** After this many timeouts in a row the provider counts as unavailable. Fewer may come from single objects. */
const TIMEOUTS_IN_A_ROW_MAX = 3
/**
 * Makes steps that log what they changed. A step that fails is logged and counted, and the sweep goes on. A step throws
 * only where going on is pointless: the database does not answer, the key is refused, or the provider has timed out or,
 * `outagesMax` times in a row, failed. `hasMissed` says whether an outage hid an object that another run may read.
 */
export function isolatedSteps(
  ports: Pick<Ports, 'log'>,
  sweep: SweepName,
  { outagesMax }: { outagesMax: number },
): { step: IsolatedStep; hasMissed: () => boolean } {
  let timeoutsInARow = 0
  let outagesInARow = 0
  let missed = 0

  const step: IsolatedStep = async (object, look, { dispensable } = { dispensable: false }) => {
    try {
      const repaired = await look()
      timeoutsInARow = 0
      outagesInARow = 0
      if (repaired > 0) ports.log('reconcile.repaired', { sweep, object, repaired })
      return { checked: 1, repaired, failed: 0 }
    } catch (error) {
      timeoutsInARow = isTimeout(error) ? timeoutsInARow + 1 : 0
      outagesInARow = error instanceof Unavailable ? outagesInARow + 1 : 0
      const isDown = timeoutsInARow >= TIMEOUTS_IN_A_ROW_MAX || outagesInARow >= outagesMax
      if (isDown || isFatal(error)) throw error
      if (error instanceof Unavailable && !dispensable) missed++
      logFailure(ports, error, 'reconcile.object_failed', { sweep, object })
      return { checked: 1, repaired: 0, failed: 1 }
    }
  }

  return { step, hasMissed: () => missed > 0 }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Unavailable && !error.answered
}

function isFatal(error: unknown): boolean {
  return isStorageOutage(error) || (error instanceof Unavailable && error.needsOperator)
}

export function isStorageOutage(error: unknown): boolean {
  return error instanceof Unavailable && error.outage === 'storage'
}
