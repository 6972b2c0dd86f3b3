import { PRUNED_KINDS, type PrunedKind, pruneUpTo } from '../../domain/retention.ts'
import type { Ports } from '../ports.ts'
import type { Stopping } from './leadership.ts'

/** So few at once that no other write waits for long. */
const BATCH_SIZE = 200

/**
 * Deletes what is of no use any more, in small steps with a pause after each, and says how much of each kind that was.
 * Stops between two steps once `stopping` is aborted; the next run goes on.
 */
export async function pruneExpired(
  { retention, clock, log, rules }: Pick<Ports, 'retention' | 'clock' | 'log' | 'rules'>,
  {
    pause,
    stopping,
  }: {
    /** Lets others do their work. */
    pause: () => Promise<void>
    stopping: Stopping
  },
): Promise<Readonly<Partial<Record<PrunedKind, number>>>> {
  const now = clock.now()
  const { tokenLifetimeMs } = rules
  const mailWindowMs = rules.mailLimit?.windowMs ?? 0
  const pruned: Partial<Record<PrunedKind, number>> = {}
  for (const kind of PRUNED_KINDS) {
    const upTo = pruneUpTo(kind, { tokenLifetimeMs, mailWindowMs, now })
    for (let isDone = false; !isDone && !stopping.aborted; ) {
      const count = await retention.prune(kind, { upTo, limit: BATCH_SIZE })
      if (count > 0) pruned[kind] = (pruned[kind] ?? 0) + count
      isDone = count < BATCH_SIZE
      await pause()
    }
  }
  if (Object.keys(pruned).length > 0) log('retention.pruned', pruned)
  return pruned
}
