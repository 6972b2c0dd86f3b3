import type { GroupFailure, GroupOutcome, GroupTransaction } from './group-transaction.ts'
import { BUSY_RETRY_MS, storageError } from './storage-outage.ts'

/** More than wait at one moment but in a flood, and few enough not to hold up the process for long. */
export const GROUP_MAX = 128

export type GroupCommit = {
  /**
   * Resolves once what `work` has stored is durable. If `work` throws, nothing of it is stored, and the others of its
   * group are untouched. It runs again where its group came to nothing by the fault of another one. Where another
   * process is in the way, it is tried again for so long.
   */
  write<Result>(work: () => Result, busyTimeoutMs: number): Promise<Result>
  /** Commits all that is queued, or rejects it where that cannot be done at once. */
  flush(): void
}

type Write = {
  readonly work: () => void
  /** With what `work` returned when it ran last. */
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** For how long it still waits for another process. */
  patienceMs: number
  /** Whether it was in a group that another one has spoilt. */
  isAlone: boolean
}

// Why: docs/decisions.md#writes-that-come-together-share-a-commit
/** The writes of one turn of the event loop, and those that wait for another process, share a transaction. */
export function groupCommit(transact: GroupTransaction): GroupCommit {
  let queue: Write[] = []
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || queue.length === 0) return
    isScheduled = true
    // A turn, not a microtask: Bun runs the microtasks of a request before it delivers the next one of the same turn.
    setImmediate(commitNext)
  }

  function commitNext(): void {
    isScheduled = false
    const state = commitGroup()
    if (state === 'busy' && queue.length > 0) {
      isScheduled = true
      setTimeout(commitNext, BUSY_RETRY_MS)
    }
    schedule()
  }

  function commitGroup(): GroupOutcome['state'] {
    const group = queue.splice(0, queue[0]?.isAlone ? 1 : GROUP_MAX)
    if (group.length === 0) return 'committed'
    const outcome = attempt(group)
    if (outcome.state === 'busy') wait(group, outcome.error)
    else if (outcome.state === 'failed') fail(group, outcome)
    else settle(group, outcome.refused)
    return outcome.state
  }

  /** Whatever goes wrong around the works, such as the report of a damage, nobody of the group waits for ever. */
  function attempt(group: readonly Write[]): GroupOutcome {
    try {
      return transact(group.map(({ work }) => work))
    } catch (error) {
      return { state: 'failed', error, culprit: null }
    }
  }

  /** All that is queued has waited, not only this group. */
  function wait(group: readonly Write[], error: unknown): void {
    const [waiting, tired] = divide([...group, ...queue], ({ patienceMs }) => patienceMs > 0)
    for (const write of waiting) write.patienceMs -= BUSY_RETRY_MS
    queue = waiting
    for (const { reject } of tired) reject(storageError(error))
  }

  /** Where one has spoilt it for the others, each of these gets a transaction of its own. */
  function fail(group: readonly Write[], { error, culprit }: GroupFailure): void {
    const [spared, failed] = divide(group, (_, index) => culprit !== null && culprit !== index)
    for (const write of spared) write.isAlone = true
    queue = [...spared, ...queue]
    for (const { reject } of failed) reject(storageError(error))
  }

  return {
    write: <Result>(work: () => Result, busyTimeoutMs: number) =>
      new Promise<Result>((resolve, reject) => {
        let result: Result
        queue.push({
          work() {
            result = work()
          },
          resolve: () => resolve(result),
          reject,
          patienceMs: busyTimeoutMs,
          isAlone: false,
        })
        schedule()
      }),
    flush() {
      for (const write of queue) write.patienceMs = 0
      while (queue.length > 0) commitGroup()
    },
  }
}

function settle(group: readonly Write[], refused: ReadonlyMap<number, unknown>): void {
  for (const [index, { resolve, reject }] of group.entries()) {
    if (refused.has(index)) reject(storageError(refused.get(index)))
    else resolve()
  }
}

function divide<Item>(
  items: readonly Item[],
  isFirst: (item: Item, index: number) => boolean,
): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item, index) => !isFirst(item, index))]
}
