import { describe, expect, test } from 'bun:test'
import type { PurchaseRepository } from '../../application/store.ts'
import { parseEmail } from '../../domain/email.ts'
import {
  closePurchase,
  PURCHASE_STATES,
  type Purchase,
  type PurchaseState,
} from '../../domain/purchase.ts'
import { inState, ORIGIN } from '../support/fakes.ts'
import { openPurchase } from '../support/stores/contract-purchases.ts'
import { STORES } from '../support/stores/stores.ts'

describe.each(STORES)('the list of purchases on %s', (_, open) => {
  test('is empty where there are none', async () => {
    const { purchases } = await open()

    expect(await purchases.list({ states: PURCHASE_STATES, after: null, limit: 10 })).toEqual([])
  })

  test('gives each purchase once, whole and by id, in pages of any size', async () => {
    const { purchases } = await open()
    const made = Array.from({ length: 10 }, (_unused, index) => {
      const state = PURCHASE_STATES[index % PURCHASE_STATES.length]!
      const email = parseEmail(`buyer${index}@example.com`)
      return inState(openPurchase(`pur_${index}`, { email }), state)
    })
    for (const purchase of made.toReversed()) await save(purchases, purchase)

    for (const limit of [1, 3, 5, 10, 11]) {
      expect(await listAll(purchases, PURCHASE_STATES, limit)).toEqual(made)
    }
    expect(await listAll(purchases, ['review', 'paid'], 3)).toEqual(
      made.filter(({ state }) => state === 'review' || state === 'paid'),
    )
    expect(await listAll(purchases, [], 3)).toEqual([])
  })

  test('misses nothing that changes its state while it is read', async () => {
    const { purchases } = await open()
    const made = Array.from({ length: 6 }, (_unused, index) =>
      openPurchase(`pur_${index}`, { email: parseEmail(`buyer${index}@example.com`) }),
    )
    for (const purchase of made) await save(purchases, purchase)

    const stillOpen = { states: ['open'] as const, limit: 2 }
    const first = await purchases.list({ ...stillOpen, after: null })
    for (const purchase of first) await save(purchases, closePurchase(purchase))
    const second = await purchases.list({ ...stillOpen, after: first[1]!.id })
    expect(first).toEqual(made.slice(0, 2))
    expect(second).toEqual(made.slice(2, 4))
  })
})

/** Reads page by page, as long as a page is full. */
async function listAll(
  purchases: PurchaseRepository,
  states: readonly PurchaseState[],
  limit: number,
): Promise<readonly Purchase[]> {
  const listed: Purchase[] = []
  for (;;) {
    const page = await purchases.list({ states, after: listed.at(-1)?.id ?? null, limit })
    expect(page.length).toBeLessThanOrEqual(limit)
    listed.push(...page)
    if (page.length < limit) return listed
  }
}

async function save(purchases: PurchaseRepository, purchase: Purchase): Promise<void> {
  await purchases.update(purchase.email, ORIGIN, () => ({ purchase }))
}
