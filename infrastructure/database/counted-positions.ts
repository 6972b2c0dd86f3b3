import type { Counted } from '../../domain/budget.ts'

// Mails and wrong tries are rows with a position, which tells those of one moment apart and keeps their order.

/**
 * Which positions of a list go, and what comes at which. Those that stay keep their positions, so that these have gaps;
 * whatever stands behind a new one comes anew.
 */
export function changesOf<One extends Counted>(
  before: readonly One[],
  after: readonly One[],
  positions: ReadonlyMap<Counted, number>,
): {
  readonly deleted: readonly number[]
  readonly inserted: readonly { position: number; one: One }[]
} {
  const kept = new Set<number>()
  const inserted: { position: number; one: One }[] = []
  let last = -1
  for (const one of after) {
    const known = positions.get(one) ?? -1
    const stays = inserted.length === 0 && known > last
    last = stays ? known : last + 1
    if (stays) kept.add(known)
    else inserted.push({ position: last, one })
  }
  const deleted = before.map((one) => positions.get(one) ?? -1).filter((one) => !kept.has(one))
  return { deleted, inserted }
}
