import { reportFault } from '../../application/error-report.ts'
import type { Log, Supervisor } from '../../application/ports.ts'

/** One ping may be late, and a second one be lost. */
const PINGS_PER_TIMEOUT = 3

/**
 * Pings the supervisor's watchdog as long as the service is alive; without pings it restarts the service. Resolves
 * once `stopping` is aborted, and at once where the supervisor has no watchdog. Never rejects.
 */
export async function runWatchdog({
  supervisor,
  checkLiveness,
  log,
  wait,
  stopping,
}: {
  supervisor: Supervisor
  /** Throws where a restart may help. */
  checkLiveness: () => Promise<void>
  log: Log
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  wait: (milliseconds: number, until: AbortSignal) => Promise<void>
  stopping: AbortSignal
}): Promise<void> {
  if (supervisor.watchdogTimeoutMs === null) return
  const everyMs = supervisor.watchdogTimeoutMs / PINGS_PER_TIMEOUT

  let wasAlive = true
  while (!stopping.aborted) {
    try {
      await checkLiveness()
      supervisor.pingWatchdog()
      wasAlive = true
    } catch (error) {
      if (wasAlive) log('watchdog.unhealthy', reportFault(error))
      wasAlive = false
    }
    await wait(everyMs, stopping)
  }
}
