import { AsyncLocalStorage } from 'node:async_hooks'
import { Unavailable } from '../../application/unavailable.ts'
import type { TimeBudget } from './connection/time-budget.ts'

type Waiting<Item, Result> = {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

// Why: docs/decisions.md#requests-that-wait-for-the-database-share-a-round-trip
/**
 * What asks the database about one item, together with others: `run` gets one to `itemsMax` items, in the order in
 * which they came, and gives as many results in the same order. An item goes at once while fewer than `inFlightMax`
 * round trips are under way; else it waits and goes with all others that wait. Rejects as the round trip does, and with
 * `Unavailable('storage')` once the time of its own caller is up. An item that has not gone by then never goes.
 *
 * A round trip belongs to no request, so that no caller's time limit ends it: `run` has the asynchronous context in
 * which this function was called, and has to limit its time by itself.
 */
export function shareRoundTrips<Item, Result>({
  run,
  itemsMax,
  inFlightMax,
  budget,
}: {
  run: (items: readonly Item[]) => Promise<readonly Result[]>
  itemsMax: number
  inFlightMax: number
  budget: Pick<TimeBudget, 'begin'>
}): (item: Item) => Promise<Result> {
  const inOwnContext = AsyncLocalStorage.snapshot()
  // In the order of their coming.
  const queue = new Set<Waiting<Item, Result>>()
  let inFlight = 0

  function sendNext(): void {
    if (inFlight >= inFlightMax || queue.size === 0) return
    const batch = [...queue.values().take(itemsMax)]
    for (const waiting of batch) queue.delete(waiting)
    inFlight++
    void inOwnContext(travel, batch)
  }

  async function travel(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item))
      if (results.length !== batch.length) {
        throw new Error(`${batch.length} items got ${results.length} results`)
      }
      for (const [index, result] of results.entries()) batch[index]?.resolve(result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      inFlight--
      sendNext()
    }
  }

  return async (item) => {
    const use = budget.begin()
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const waiting = { item, resolve, reject }
    const timer = setTimeout(() => {
      queue.delete(waiting)
      reject(new Unavailable('storage', { cause: new Error('a shared round trip took too long') }))
    }, use.leftMs())
    queue.add(waiting)
    sendNext()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      use.end()
    }
  }
}
