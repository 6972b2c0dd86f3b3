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
  begin(): TimedUse
}

export function timeBudget({
  limitMs,
  monotonicMs,
}: {
  limitMs: number
  monotonicMs: () => number
}): TimeBudget {
  const requests = new AsyncLocalStorage<{ spentMs: number }>()
  return {
    forRequest: (work) => requests.run({ spentMs: 0 }, work),
    begin() {
      const request = requests.getStore()
      const startedAt = monotonicMs()
      const ownMs = limitMs - (request?.spentMs ?? 0)
      const tookMs = () => monotonicMs() - startedAt
      return {
        leftMs: () => Math.max(0, ownMs - tookMs()),
        end() {
          if (request) request.spentMs += tookMs()
        },
      }
    },
  }
}
