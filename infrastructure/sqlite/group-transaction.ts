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

/** Keeps a work that throws from leaving anything behind. */
type Guard = {
  readonly begin: () => void
  readonly end: () => void
  /** After a work that threw. False where something of it stays stored. */
  readonly leavesNothing: () => boolean
}

/**
 * Several works in one transaction. Where `assertInPlace` throws, none is stored.
 *
 * Nearly all that throw have only read, and then there is nothing to undo. Only where one has stored something before,
 * all of them run again, each in a savepoint of its own: for each savepoint, SQLite copies every page that is written.
 */
export function prepareGroupTransaction(
  client: Database,
  assertInPlace: () => void,
): GroupTransaction {
  const begin = client.prepare('BEGIN IMMEDIATE')
  const commit = client.prepare('COMMIT')
  const rollBack = client.prepare('ROLLBACK')
  const count = changeCount(client)
  const savepoint = savepoints(client)

  /** Null where something is stored that cannot be undone by itself. */
  function run(works: readonly (() => void)[], guard: Guard): GroupOutcome | null {
    const refused = new Map<number, unknown>()
    for (const [index, work] of works.entries()) {
      guard.begin()
      try {
        work()
        guard.end()
      } catch (error) {
        // A full disk, for one, may have ended all of the transaction already, and damage makes all of it doubtful.
        const isOver = !client.inTransaction || isDamage(error)
        if (isOver) return { state: 'failed', error, culprit: index }
        if (!guard.leavesNothing()) return null
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

  function transact(works: readonly (() => void)[], guard: Guard): GroupOutcome | null {
    try {
      begin.run()
      return run(works, guard)
    } catch (error) {
      const isBegun = client.inTransaction
      if (!isBegun && isBusy(error)) return { state: 'busy', error }
      return { state: 'failed', error, culprit: null }
    } finally {
      if (client.inTransaction) rollBack.run()
    }
  }

  return (works) => {
    const outcome = transact(works, count) ?? transact(works, savepoint)
    if (outcome === null) throw new Error('a savepoint undoes whatever was stored since')
    return outcome
  }
}

/** Undoes nothing, but knows whether there is anything. */
function changeCount(client: Database): Guard {
  const select = client.prepare('SELECT total_changes()')
  const changes = () => select.values()[0]?.[0]
  let before: ReturnType<typeof changes>
  return {
    begin() {
      before = changes()
    },
    end() {},
    leavesNothing: () => changes() === before,
  }
}

function savepoints(client: Database): Guard {
  const save = client.prepare('SAVEPOINT work')
  const release = client.prepare('RELEASE work')
  const rollBackTo = client.prepare('ROLLBACK TO work')
  return {
    begin: () => void save.run(),
    end: () => void release.run(),
    leavesNothing() {
      rollBackTo.run()
      release.run()
      return true
    },
  }
}
