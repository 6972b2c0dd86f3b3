import type { Dispute } from '../../domain/dispute.ts'
import { isStateChange } from '../../domain/premium-grant.ts'
import type { Purchase } from '../../domain/purchase.ts'
import type { Refund } from '../../domain/refund.ts'

/** What a report of refunds, or of disputes, makes of those that are known. */
export type MergedReversals<Fact> = {
  /** Those that are new or changed. */
  readonly facts: readonly Fact[]
  /** How many of them changed their state. */
  readonly changes: number
}

/** Takes the reported ones one after the other: one that is reported twice is known the second time. */
export function mergeReported<Fact extends Refund | Dispute, Reported extends { id: string }>(
  reported: readonly Reported[],
  {
    find,
    change,
  }: {
    /** The one that is stored under the id. */
    find: (id: string) => Fact | null
    change: (known: Fact | null, reported: Reported) => Fact
  },
): MergedReversals<Fact> {
  const changed = new Map<string, Fact>()
  let changes = 0
  for (const one of reported) {
    const known = changed.get(one.id) ?? find(one.id)
    const fact = change(known, one)
    if (fact === known) continue
    changed.set(fact.id, fact)
    if (isStateChange(known, fact)) changes++
  }
  return { facts: [...changed.values()], changes }
}

/** The payment that a purchase had and has no more, because another one was paid. Null where there is none. */
export function leftPayment(before: Purchase, after: Purchase): string | null {
  return before.paymentIntentId === after.paymentIntentId ? null : before.paymentIntentId
}
