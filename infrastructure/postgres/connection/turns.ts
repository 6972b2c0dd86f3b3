import { Unavailable } from '../../../application/unavailable.ts'
import type { Lock } from './locks.ts'
import type { TimedUse } from './time-budget.ts'

// Why: docs/decisions.md#postgresql-rows-are-locked-in-one-order
/**
 * Lets what needs the same lock go one after the other within this process, in the order of the calls. Replicas still
 * wait for each other in the database; but there each one that waits has a connection, and requests about a single
 * address would soon have them all.
 */
export type Turns = {
  /** Does the work with a turn at every lock, taken in ascending order. Rejects once the time is up. */
  take<Result>(locks: readonly Lock[], time: TimedUse, work: () => Promise<Result>): Promise<Result>
}

export function turns(): Turns {
  /** Resolves once the last that has called for the lock has had its turn, and so have all before it. */
  const ends = new Map<Lock, Promise<void>>()

  /** Returns what ends the turn. */
  async function begin(lock: Lock, time: TimedUse): Promise<() => void> {
    const before = ends.get(lock)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    ends.set(lock, end)
    function finish(): void {
      resolve(before)
      if (ends.get(lock) === end) ends.delete(lock)
    }
    try {
      if (before) await within(time, before)
      return finish
    } catch (error) {
      void before?.then(finish)
      throw error
    }
  }

  return {
    async take(locks, time, work) {
      const begun: (() => void)[] = []
      try {
        for (const lock of [...new Set(locks)].sort((left, right) => left - right)) {
          begun.push(await begin(lock, time))
        }
        return await work()
      } finally {
        for (const finish of begun) finish()
      }
    },
  }
}

async function within(time: TimedUse, turn: Promise<void>): Promise<void> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const cause = new Error('others had their turn for too long')
  const timer = setTimeout(() => reject(new Unavailable('storage', { cause })), time.leftMs())
  try {
    await Promise.race([turn, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
