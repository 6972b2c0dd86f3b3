import type { Database } from 'bun:sqlite'
import { isBusy, isDamage } from './storage-outage.ts'

export type GroupOutcome =
  /** Durable, but for the works that threw: nothing of these is stored. Their errors are here by their index. */
  | { readonly state: 'committed'; readonly refused: ReadonlyMap<number, unknown> }
  /** Not begun, since another process has the lock. */
  | { readonly state: 'busy'; readonly error: unknown }
  | GroupFailure

/** Nothing is stored. The culprit is the index of the work that ended it for all; null where none did. */
export type GroupFailure = {
  readonly state: 'failed'
  readonly error: unknown
  readonly culprit: number | null
}

/** Holds the write lock from the start, and runs the works without a pause between them. */
export type GroupTransaction = (works: readonly (() => void)[]) => GroupOutcome

/** Several works in one transaction, each in a savepoint of its own. Where `assertInPlace` throws, none is stored. */
export function prepareGroupTransaction(
  client: Database,
  assertInPlace: () => void,
): GroupTransaction {
  const begin = client.prepare('BEGIN IMMEDIATE')
  const commit = client.prepare('COMMIT')
  const rollBack = client.prepare('ROLLBACK')
  const save = client.prepare('SAVEPOINT work')
  const release = client.prepare('RELEASE work')
  const rollBackTo = client.prepare('ROLLBACK TO work')

  function run(works: readonly (() => void)[]): GroupOutcome {
    const refused = new Map<number, unknown>()
    for (const [index, work] of works.entries()) {
      save.run()
      try {
        work()
        release.run()
      } catch (error) {
        // A full disk, for one, may have ended all of the transaction already, and damage makes all of it doubtful.
        const isOver = !client.inTransaction || isDamage(error)
        if (isOver) return { state: 'failed', error, culprit: index }
        rollBackTo.run()
        release.run()
        refused.set(index, error)
      }
    }
    // Otherwise there is nothing to commit but pages as they were before, and these would be written once more.
    if (refused.size < works.length) {
      assertInPlace()
      commit.run()
    }
    return { state: 'committed', refused }
  }

  return (works) => {
    try {
      begin.run()
      return run(works)
    } catch (error) {
      const isBegun = client.inTransaction
      if (!isBegun && isBusy(error)) return { state: 'busy', error }
      return { state: 'failed', error, culprit: null }
    } finally {
      if (client.inTransaction) rollBack.run()
    }
  }
}
