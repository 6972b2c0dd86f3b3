/** Whether work has to end. It is asked before each step, since a step that has begun is finished. */
export type Stopping = { readonly aborted: boolean }

/** A time in which one process alone does certain work. `signal` wakes what waits; it may be later than `aborted`. */
export type Term = Stopping & { readonly signal: AbortSignal }

// Why: docs/decisions.md#one-replica-at-a-time-works-in-the-background
/** Who of all processes that serve on one database does what only one may do at a time. */
export type Leadership = {
  /** Whether this process leads at this moment, as far as it can know without asking. */
  isLeading(): boolean
  /**
   * Does `work` whenever this process leads, anew in each of its terms. Work that has to end soon learns it from its
   * term. Resolves once `stopping` was aborted and the work has ended; then another process may lead at once.
   */
  lead(work: (term: Term) => Promise<void>, stopping: AbortSignal): Promise<void>
}

/** That of a process which has the database to itself. */
export const ALWAYS_LEADING: Leadership = {
  isLeading: () => true,
  lead: (work, stopping) => work(termUntil(stopping)),
}

/** The term of work that every process does. */
export function termUntil(stopping: AbortSignal): Term {
  return {
    get aborted() {
      return stopping.aborted
    },
    signal: stopping,
  }
}
