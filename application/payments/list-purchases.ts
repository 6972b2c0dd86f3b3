import {
  awaitsReview,
  PURCHASE_STATES,
  type Purchase,
  type PurchaseId,
  type PurchaseState,
} from '../../domain/purchase.ts'
import { readAll } from '../paging.ts'
import type { Ports } from '../ports.ts'

/** Purchases, oldest first: all of them, or only those that wait for an operator. */
export async function* listPurchases(
  ports: Pick<Ports, 'purchases'>,
  { onlyReview }: { onlyReview: boolean },
): AsyncGenerator<Purchase> {
  if (!onlyReview) {
    yield* eachPurchase(ports, PURCHASE_STATES)
    return
  }
  for await (const purchase of eachPurchase(ports, ['review'])) {
    const account = await ports.purchases.findAccount(purchase.email)
    if (awaitsReview(purchase, account)) yield purchase
  }
}

/** Those in any of the states at the moment when their page is read, from the one after `beginning`. */
export function eachPurchase(
  { purchases }: Pick<Ports, 'purchases'>,
  states: readonly PurchaseState[],
  beginning: PurchaseId | null = null,
): AsyncGenerator<Purchase> {
  return readAll(({ after, limit }) =>
    purchases.list({ states, after: after?.id ?? beginning, limit }),
  )
}
