import { SECOND_MS } from '../../domain/duration.ts'
import { logFailure } from '../error-report.ts'
import type { Ports } from '../ports.ts'
import type { Leadership, Term } from './leadership.ts'

/** For so long the database keeps the lease for whoever has taken or renewed it. */
export const LEASE_MS = 35 * SECOND_MS
/**
 * For so long the holder leads without another answer, by its own clock. The rest of the lease is for the step that it
 * has under way, for clocks that do not run alike, and for a renewal that a failover of the database has lost.
 */
export const LEADS_FOR_MS = 25 * SECOND_MS
/** How often the holder renews it, and how often the others look whether it has ended. */
export const ASK_EVERY_MS = 10 * SECOND_MS
/** A database that did not answer is asked sooner, so that the holder has more than one try. */
const ASK_AGAIN_MS = 3 * SECOND_MS

/** The one lease on what a single process does, in the database and by its clock. At most one process has it. */
export type Lease = {
  /**
   * Takes it where nobody else has it, or renews it for `LEASE_MS` from now, and says whether this process has it.
   * Throws `Unavailable('storage')`; then it may have been taken all the same.
   */
  take(): Promise<boolean>
  /** Has others take it at once. Changes nothing where another process has it. Throws `Unavailable('storage')`. */
  giveBack(): Promise<void>
}

type Dependencies = Pick<Ports, 'log' | 'telemetry'>

/**
 * Leads while this process has the lease. A holder that ends, is frozen or is cut off is followed within a minute.
 * Nothing is thrown where the database does not answer: this process then leads no longer than its lease may last.
 */
export function leaseLeadership(
  ports: Dependencies,
  {
    lease,
    monotonicMs,
    wait,
  }: {
    lease: Lease
    /** Milliseconds that pass evenly, also while the process is frozen. */
    monotonicMs: () => number
    /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
    wait: (milliseconds: number, until: AbortSignal) => Promise<void>
  },
): Leadership {
  let current: Term | null = null

  async function govern(
    askedAtMs: number,
    work: (term: Term) => Promise<void>,
    stopping: AbortSignal,
  ): Promise<void> {
    const term = beginTerm(ports, { leadsUntilMs: askedAtMs + LEADS_FOR_MS, monotonicMs, stopping })
    current = term
    const ended = new AbortController()
    const worked = Promise.all([work(term), untilAborted(term.signal)])
    const working = worked.finally(() => ended.abort())
    // Also renewed while the last steps end, so that nobody else begins before that.
    const renewing = renew(term, ended.signal)
    await Promise.allSettled([working, renewing])
    current = null
    await working
  }

  async function renew(term: OwnTerm, ended: AbortSignal): Promise<void> {
    let waitMs = ASK_EVERY_MS
    for (;;) {
      await wait(waitMs, ended)
      if (ended.aborted) return
      const askedAtMs = monotonicMs()
      const isHeld = await ask()
      if (isHeld) term.prolong(askedAtMs + LEADS_FOR_MS)
      else if (isHeld === false) term.lose('another replica has it')
      waitMs = isHeld === null && !term.aborted ? ASK_AGAIN_MS : ASK_EVERY_MS
    }
  }

  /** Null where the database did not answer. */
  async function ask(): Promise<boolean | null> {
    try {
      return await lease.take()
    } catch (error) {
      report(error)
      return null
    }
  }

  async function giveBack(): Promise<void> {
    try {
      await lease.giveBack()
    } catch (error) {
      report(error)
    }
  }

  function report(error: unknown): void {
    ports.telemetry.record({ kind: 'task_failed', task: 'leadership' })
    logFailure(ports, error, 'task.failed', { task: 'leadership' })
  }

  return {
    isLeading: () => current !== null && !current.aborted,
    async lead(work, stopping) {
      while (!stopping.aborted) {
        const askedAtMs = monotonicMs()
        const isHeld = await ask()
        if (isHeld) await govern(askedAtMs, work, stopping)
        else await wait(isHeld === null ? ASK_AGAIN_MS : ASK_EVERY_MS, stopping)
      }
      // Also where an answer was lost, and this process never knew that it had it.
      await giveBack()
    },
  }
}

type OwnTerm = Term & {
  prolong(leadsUntilMs: number): void
  lose(reason: string): void
}

/**
 * Ends as soon as `stopping` is aborted, it is lost, or its time is over. A process that was frozen finds the latter
 * out before its next step: the step asks, and no timer has to come first.
 */
function beginTerm(
  { log }: Pick<Ports, 'log'>,
  {
    leadsUntilMs,
    monotonicMs,
    stopping,
  }: { leadsUntilMs: number; monotonicMs: () => number; stopping: AbortSignal },
): OwnTerm {
  const over = new AbortController()
  const end = () => over.abort()
  let untilMs = leadsUntilMs

  function lose(reason: string): void {
    if (over.signal.aborted) return
    end()
    log('leadership.lost', { reason })
  }

  function isOver(): boolean {
    if (monotonicMs() >= untilMs) lose('the database has not answered in time')
    return over.signal.aborted
  }

  stopping.addEventListener('abort', end, { signal: over.signal })
  if (stopping.aborted) end()
  log('leadership.taken')
  return {
    get aborted() {
      return isOver()
    },
    signal: over.signal,
    prolong(leadsUntilMs) {
      if (!isOver()) untilMs = leadsUntilMs
    },
    lose,
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
