import { logFailure } from '../../application/error-report.ts'
import type { Ports } from '../../application/ports.ts'
import type { TaskName } from '../../application/telemetry.ts'
import { type Leadership, type Term, termUntil } from '../../application/upkeep/leadership.ts'

/** A database that does not answer is not asked every second. */
const WAIT_AFTER_FAILURE_MS = 10_000

/** Something that the service does by itself. What it throws is logged. */
export type Task = {
  readonly name: TaskName
  /** How long after the end of one run the next one begins; null for what runs once. */
  readonly everyMs: number | null
  /** How long the first run is put off: a start has enough to do without it. */
  readonly firstAfterMs?: number
  /** Counts that time from the beginning of the run; a run that takes longer is followed by the next one at once. */
  readonly fromStart?: boolean
  readonly work: (term: Term) => Promise<unknown>
}

/** All that the service does by itself. */
export type Tasks = {
  /** Done by every process that serves on the database. */
  readonly ofEach: readonly Task[]
  /** Done by the one that leads. Made anew for each of its terms: what they remember of an old one may be wrong. */
  readonly ofLeader: () => readonly Task[]
}

/**
 * Begins every task after `startAfterMs`, and again some time after it has ended, so that no two runs of one overlap.
 * Resolves once `stopping` was aborted and what was under way has ended; never rejects.
 */
export async function workInBackground({
  ports,
  tasks: { ofEach, ofLeader },
  leadership,
  startAfterMs = 0,
  monotonicMs,
  wait,
  stopping,
}: {
  ports: Pick<Ports, 'log' | 'telemetry'>
  tasks: Tasks
  leadership: Leadership
  startAfterMs?: number
  /** Milliseconds that pass evenly, even where the clock is set. */
  monotonicMs: () => number
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  wait: (milliseconds: number, until: AbortSignal) => Promise<void>
  stopping: AbortSignal
}): Promise<void> {
  async function carryOutAll(tasks: readonly Task[], term: Term): Promise<void> {
    await Promise.all(tasks.map((task) => carryOut(task, term)))
  }

  async function carryOut(task: Task, term: Term): Promise<void> {
    const { everyMs, firstAfterMs = 0, fromStart } = task
    if (firstAfterMs > 0) await wait(firstAfterMs, term.signal)
    if (everyMs === null) {
      await attempt(task, term)
      return
    }
    while (!term.aborted) {
      const startedAtMs = monotonicMs()
      const isDone = await attempt(task, term)
      const spentMs = fromStart ? Math.min(everyMs, monotonicMs() - startedAtMs) : 0
      const waitMs = isDone ? everyMs - spentMs : Math.max(everyMs, WAIT_AFTER_FAILURE_MS)
      await wait(waitMs, term.signal)
    }
  }

  async function attempt({ name, work }: Task, term: Term): Promise<boolean> {
    try {
      await work(term)
      return true
    } catch (error) {
      ports.telemetry.record({ kind: 'task_failed', task: name })
      logFailure(ports, error, 'task.failed', { task: name })
      return false
    }
  }

  if (startAfterMs > 0) await wait(startAfterMs, stopping)
  if (stopping.aborted) return
  await Promise.all([
    carryOutAll(ofEach, termUntil(stopping)),
    leadership.lead((term) => carryOutAll(ofLeader(), term), stopping),
  ])
}
