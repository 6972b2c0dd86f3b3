import { AsyncLocalStorage } from 'node:async_hooks'

/** A use of the database that has begun. */
export type TimedUse = {
  /** How much longer it may take, in milliseconds; never below 0. */
  leftMs(): number
  /** It is over: what it took is counted. */
  end(): void
}

/** How long may be spent on the database: `limitMs` for each use, and for all uses of one request together. */
export type TimeBudget = {
  /** Everything that the work uses, also later and in parallel, is of one request. */
  forRequest<Result>(work: () => Result): Result
  /** Everything that the work uses is one use: outside a request it has one limit together, however often it tries. */
  forUse<Result>(work: () => Result): Result
  begin(): TimedUse
}

/** What uses at the same time take counts once: it is the client who waits. */
type Spending = { spentMs: number; underWay: number; sinceMs: number }

export function timeBudget({
  limitMs,
  monotonicMs,
}: {
  limitMs: number
  monotonicMs: () => number
}): TimeBudget {
  const requests = new AsyncLocalStorage<Spending>()
  const begun = (): Spending => ({ spentMs: 0, underWay: 0, sinceMs: 0 })

  function spentMs({ spentMs, underWay, sinceMs }: Spending): number {
    return underWay === 0 ? spentMs : spentMs + monotonicMs() - sinceMs
  }

  return {
    forRequest: (work) => requests.run(begun(), work),
    forUse: (work) => (requests.getStore() ? work() : requests.run(begun(), work)),
    begin() {
      const spending = requests.getStore() ?? begun()
      if (spending.underWay === 0) spending.sinceMs = monotonicMs()
      spending.underWay++
      return {
        leftMs: () => Math.max(0, limitMs - spentMs(spending)),
        end() {
          const spent = spentMs(spending)
          spending.underWay--
          if (spending.underWay === 0) spending.spentMs = spent
        },
      }
    },
  }
}
