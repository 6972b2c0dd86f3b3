import { deliverOutbox } from '../application/deliver-outbox.ts'
import { logFailure } from '../application/fault-report.ts'
import type { Ports } from '../application/ports.ts'
import { reconcilePayments, type SweepReport } from '../application/reconcile-payments.ts'
import { SWEEP_NAMES } from '../application/store.ts'

const OUTBOX_EVERY_MS = 1000
const RECONCILER_EVERY_MS = 60_000
/** A database that does not answer is not asked every second. */
const WAIT_AFTER_FAILURE_MS = 10_000

/**
 * What the service does by itself: it carries out what waits in the outbox, and asks the provider for what it failed to
 * report, about everything until that was seen once. Each begins at once and again some time after it has ended, so that
 * no two runs of one overlap. Resolves once `stopping` was aborted and what was under way has ended; never rejects.
 */
export async function workInBackground({
  ports,
  wait,
  stopping,
}: {
  ports: Ports
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  wait: (milliseconds: number, until: AbortSignal) => Promise<void>
  stopping: AbortSignal
}): Promise<void> {
  async function repeat(task: string, everyMs: number, work: () => Promise<unknown>) {
    while (!stopping.aborted) {
      const isDone = await attempt(task, work)
      await wait(isDone ? everyMs : Math.max(everyMs, WAIT_AFTER_FAILURE_MS), stopping)
    }
  }

  async function attempt(task: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      logFailure(ports, error, { task })
      return false
    }
  }

  // A backup that was put back brings along when its sweeps last ran, so that none of them may seem to be due.
  let only: 'all' | 'due' = 'all'
  await Promise.all([
    // The first visitor of the app page is told the price.
    attempt('price', () => ports.payments.price()),
    repeat('outbox', OUTBOX_EVERY_MS, () => deliverOutbox(ports, stopping)),
    repeat('reconciler', RECONCILER_EVERY_MS, async () => {
      const reports = await reconcilePayments(ports, { only, stopping })
      if (hasSeenAll(reports)) only = 'due'
    }),
  ])
}

function hasSeenAll(reports: readonly SweepReport[]): boolean {
  return reports.length === SWEEP_NAMES.length && reports.every(({ finished }) => finished)
}
