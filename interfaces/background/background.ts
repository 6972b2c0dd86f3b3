import { logFailure } from '../../application/error-report.ts'
import type { Ports } from '../../application/ports.ts'
import type { TaskName } from '../../application/telemetry.ts'

/** A database that does not answer is not asked every second. */
const WAIT_AFTER_FAILURE_MS = 10_000

/** Something that the service does by itself. What it throws is logged. */
export type Task = {
  readonly name: TaskName
  /** How long after the end of one run the next one begins; null for what runs once. */
  readonly everyMs: number | null
  /** Counts that time from the beginning of the run; a run that takes longer is followed by the next one at once. */
  readonly fromStart?: boolean
  readonly work: (stopping: AbortSignal) => Promise<unknown>
}

/**
 * Begins every task after `startAfterMs`, and again some time after it has ended, so that no two runs of one overlap.
 * Resolves once `stopping` was aborted and what was under way has ended; never rejects.
 */
export async function workInBackground({
  ports,
  tasks,
  startAfterMs = 0,
  monotonicMs,
  wait,
  stopping,
}: {
  ports: Pick<Ports, 'log' | 'telemetry'>
  tasks: readonly Task[]
  startAfterMs?: number
  /** Milliseconds that pass evenly, even where the clock is set. */
  monotonicMs: () => number
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  wait: (milliseconds: number, until: AbortSignal) => Promise<void>
  stopping: AbortSignal
}): Promise<void> {
  async function carryOut(task: Task): Promise<void> {
    const { everyMs, fromStart } = task
    if (everyMs === null) {
      await attempt(task)
      return
    }
    while (!stopping.aborted) {
      const startedAtMs = monotonicMs()
      const isDone = await attempt(task)
      const spentMs = fromStart ? Math.min(everyMs, monotonicMs() - startedAtMs) : 0
      await wait(isDone ? everyMs - spentMs : Math.max(everyMs, WAIT_AFTER_FAILURE_MS), stopping)
    }
  }

  async function attempt({ name, work }: Task): Promise<boolean> {
    try {
      await work(stopping)
      return true
    } catch (error) {
      ports.telemetry.record({ kind: 'task_failed', task: name })
      logFailure(ports, error, 'task.failed', { task: name })
      return false
    }
  }

  if (startAfterMs > 0) await wait(startAfterMs, stopping)
  if (!stopping.aborted) await Promise.all(tasks.map(carryOut))
}
