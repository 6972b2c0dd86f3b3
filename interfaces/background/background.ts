import { logFailure } from '../../application/error-report.ts'
import { deliverOutbox } from '../../application/payments/deliver-outbox.ts'
import {
  reconcilePayments,
  type SweepReport,
} from '../../application/payments/reconcile-payments.ts'
import type { Ports } from '../../application/ports.ts'
import { SWEEP_NAMES } from '../../application/store.ts'
import type { TaskName } from '../../application/telemetry.ts'

const OUTBOX_EVERY_MS = 1000
const RECONCILER_EVERY_MS = 60_000
/** A database that does not answer is not asked every second. */
const WAIT_AFTER_FAILURE_MS = 10_000

/** Something that is done at once and again some time after it has ended. What it throws is logged. */
export type Task = {
  readonly name: TaskName
  readonly everyMs: number
  readonly work: (stopping: AbortSignal) => Promise<unknown>
}

/**
 * What the service does by itself: it carries out what waits in the outbox, and asks the provider for what it failed to
 * report, about everything until that was seen once, and has other tasks beside that. Each begins at once and again some
 * time after it has ended, so that no two runs of one overlap. Resolves once `stopping` was aborted and what was under
 * way has ended; never rejects.
 */
export async function workInBackground({
  ports,
  tasks = [],
  wait,
  stopping,
}: {
  ports: Ports
  tasks?: readonly Task[]
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  wait: (milliseconds: number, until: AbortSignal) => Promise<void>
  stopping: AbortSignal
}): Promise<void> {
  async function repeat(task: TaskName, everyMs: number, work: () => Promise<unknown>) {
    while (!stopping.aborted) {
      const isDone = await attempt(task, work)
      await wait(isDone ? everyMs : Math.max(everyMs, WAIT_AFTER_FAILURE_MS), stopping)
    }
  }

  async function attempt(task: TaskName, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      ports.telemetry.record({ kind: 'task_failed', task })
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
      for (const { checked, ...report } of reports) {
        ports.telemetry.record({ kind: 'sweep_ended', ...report })
      }
      if (hasSeenAll(reports)) only = 'due'
    }),
    ...tasks.map(({ name, everyMs, work }) => repeat(name, everyMs, () => work(stopping))),
  ])
}

function hasSeenAll(reports: readonly SweepReport[]): boolean {
  return reports.length === SWEEP_NAMES.length && reports.every(({ finished }) => finished)
}
