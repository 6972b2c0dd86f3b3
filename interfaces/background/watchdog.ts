import { reportFault } from '../../application/error-report.ts'
import type { Log, Supervisor } from '../../application/ports.ts'

/** One sign of life may be late, and a second one be lost. */
const SIGNS_WITHIN_PATIENCE = 3

/**
 * Gives the supervisor signs of life as long as the service is sound; without them it starts the service anew. Resolves
 * once `stopping` is aborted, and at once where nobody waits for a sign. Never rejects.
 */
export async function giveSignsOfLife({
  supervisor,
  checkSoundness,
  log,
  wait,
  stopping,
}: {
  supervisor: Supervisor
  /** Throws where a new start may help. */
  checkSoundness: () => Promise<void>
  log: Log
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  wait: (milliseconds: number, until: AbortSignal) => Promise<void>
  stopping: AbortSignal
}): Promise<void> {
  if (supervisor.patienceMs === null) return
  const everyMs = supervisor.patienceMs / SIGNS_WITHIN_PATIENCE

  let wasSound = true
  while (!stopping.aborted) {
    try {
      await checkSoundness()
      supervisor.alive()
      wasSound = true
    } catch (error) {
      if (wasSound) log('watchdog.unhealthy', reportFault(error))
      wasSound = false
    }
    await wait(everyMs, stopping)
  }
}
