import type { WaitingWork } from '../../application/doctor/database.ts'
import { listPurchases } from '../../application/payments/list-purchases.ts'
import type { Clock } from '../../application/ports.ts'
import type { PurchaseRepository } from '../../application/store.ts'

/** What each kind of database finds in its outbox by a statement of its own. */
export type OutboxFacts = {
  /** The purchases whose messages were given up, the latest first. */
  readonly givenUp: readonly string[]
  /** When the oldest message was stored that still waits; null where none does. */
  readonly oldestMessageAt: Date | null
}

/** What waits for the operator: the outbox, and the purchases that "alibi purchases --review" lists. */
export async function describeWaitingWork(
  { givenUp, oldestMessageAt }: OutboxFacts,
  { purchases, clock }: { purchases: PurchaseRepository; clock: Clock },
): Promise<WaitingWork> {
  const inReview = await Array.fromAsync(listPurchases({ purchases }, { onlyReview: true }))
  const now = clock.now().getTime()
  return {
    givenUp,
    oldestMessageMs: oldestMessageAt === null ? null : now - oldestMessageAt.getTime(),
    purchasesInReview: inReview.length,
  }
}
