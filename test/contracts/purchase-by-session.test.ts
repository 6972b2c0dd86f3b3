import { describe, expect, test } from 'bun:test'
import { type ErasedEmailDigest, erasedEmail } from '../../domain/erasure.ts'
import type { Purchase } from '../../domain/purchase.ts'
import { NOON, NOON_EPOCH, ORIGIN } from '../support/fakes.ts'
import { ANNA, openPurchase, paidPurchase } from '../support/stores/contract-purchases.ts'
import { STORES } from '../support/stores/stores.ts'

describe.each(STORES)('a purchase that is found by its session on %s', (_, open) => {
  /** As one caller asks, and once more, so that what a repository remembers is compared as well. */
  async function opened() {
    const store = await open()
    async function find(): Promise<Purchase | null> {
      const purchase = await store.purchases.findBySessionId('cs_one')
      expect(await store.purchases.findBySessionId('cs_one')).toEqual(purchase)
      return purchase
    }
    const save = (purchase: Purchase) => store.purchases.update(ANNA, ORIGIN, () => ({ purchase }))
    return { store, find, save }
  }

  test('is as it was stored last', async () => {
    const { find, save } = await opened()
    expect(await find()).toBeNull()
    for (const purchase of [
      openPurchase('one', { sessionId: 'cs_one' }),
      openPurchase('one', { sessionId: 'cs_one', state: 'processing' }),
      paidPurchase('one'),
      paidPurchase('one', { revokedAt: NOON }),
    ]) {
      await save(purchase)
      expect(await find()).toEqual(purchase)
    }
  })

  test('has the name of an erased address as soon as it is erased', async () => {
    const { store, find, save } = await opened()
    await save(paidPurchase('one'))
    expect(await find()).toMatchObject({ email: ANNA })

    const name = erasedEmail('1')
    const erasure = { name, digests: ['digest' as ErasedEmailDigest], origin: ORIGIN }
    await store.personalData.erase(ANNA, erasure, () => ({ closed: [], epoch: NOON_EPOCH }))
    expect(await find()).toMatchObject({ email: name })
  })

  test('is gone as soon as it is pruned', async () => {
    const { store, find, save } = await opened()
    await save(openPurchase('one', { sessionId: 'cs_one', state: 'closed' }))
    expect(await find()).toMatchObject({ state: 'closed' })

    const upTo = new Date(NOON.getTime() + 1e12)
    expect(await store.retention.prune('unpaid_purchases', { upTo, limit: 10 })).toBe(1)
    expect(await find()).toBeNull()
  })
})
