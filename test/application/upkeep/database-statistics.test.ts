import { describe, expect, test } from 'bun:test'
import { takeStock } from '../../../application/upkeep/database-statistics.ts'
import { CAUSE, fakePorts, inState } from '../../support/fakes.ts'
import { openPurchase, REFUND } from '../../support/stores/contract-purchases.ts'

describe('taking stock', () => {
  test('finds nothing where nothing is', async () => {
    expect(await takeStock(fakePorts())).toEqual({
      purchases: { open: 0, processing: 0, closed: 0, review: 0, paid: 0 },
      awaitingReview: 0,
      outbox: [],
      wrongTries: 0,
      files: null,
    })
  })

  test('tells money that was not asked for until it has been given back', async () => {
    const ports = fakePorts()
    const purchase = {
      ...inState(openPurchase('one'), 'review'),
      paymentIntentId: REFUND.paymentIntentId,
    }
    await ports.purchases.update(purchase.email, CAUSE, () => ({ purchase }))
    expect(await takeStock(ports)).toMatchObject({ purchases: { review: 1 }, awaitingReview: 1 })

    await ports.refunds.update([REFUND], CAUSE, (_, refund) => ({ ...refund, amount: 400 }))
    expect(await takeStock(ports)).toMatchObject({ purchases: { review: 1 }, awaitingReview: 0 })
  })
})
