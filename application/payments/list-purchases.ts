import type { PurchaseId } from '../../domain/order.ts'
import {
  awaitsReview,
  PURCHASE_STATES,
  type Purchase,
  type PurchaseState,
} from '../../domain/purchase.ts'
import type { Ports } from '../ports.ts'

/** Small enough that a page takes little memory, and that no reader delays a write for long. */
const PAGE_SIZE = 200

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

/** All items of a list. Each page is read once the one before it is used up, from the item after its last one. */
export async function* readAll<Item>(
  readPage: (page: { after: Item | null; limit: number }) => Promise<readonly Item[]>,
): AsyncGenerator<Item> {
  let after: Item | null = null
  for (;;) {
    const page: readonly Item[] = await readPage({ after, limit: PAGE_SIZE })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_SIZE) return
    after = last
  }
}
