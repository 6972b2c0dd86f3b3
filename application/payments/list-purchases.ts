import {
  awaitsReview,
  PURCHASE_STATES,
  type Purchase,
  type PurchaseId,
  type PurchaseState,
} from '../../domain/purchase.ts'
import type { Ports } from '../ports.ts'

const PAGE_SIZE = 200

/** Purchases, oldest first, read page by page: all of them, or only those that wait for an operator. */
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

/** Those in any of the states at the moment when their page is read. */
export async function* eachPurchase(
  { purchases }: Pick<Ports, 'purchases'>,
  states: readonly PurchaseState[],
): AsyncGenerator<Purchase> {
  let after: PurchaseId | null = null
  for (;;) {
    const page: readonly Purchase[] = await purchases.list({ states, after, limit: PAGE_SIZE })
    yield* page
    const last = page.at(-1)
    if (!last || page.length < PAGE_SIZE) return
    after = last.id
  }
}
