import { describe, expect, test } from 'bun:test'
import { readDatabaseStatistics } from '../../../application/upkeep/database-statistics.ts'
import { fakePorts, inState, ORIGIN } from '../../support/fakes.ts'
import { openPurchase, REFUND } from '../../support/stores/contract-purchases.ts'

describe('the statistics of the database', () => {
  test('finds nothing where nothing is', async () => {
    expect(await readDatabaseStatistics(fakePorts())).toEqual({
      purchases: { open: 0, processing: 0, closed: 0, review: 0, paid: 0 },
      awaitingReview: 0,
      reconcilerBehindMs: 0,
      outbox: [],
      wrongTries: 0,
      wrongTriesOfWorst: { address: 0, network: 0 },
      lastAuditAt: null,
      mailLimitUse: null,
      files: null,
    })
  })

  test('tells money that was not asked for until it has been given back', async () => {
    const ports = fakePorts()
    const purchase = {
      ...inState(openPurchase('one'), 'review'),
      paymentIntentId: REFUND.paymentIntentId,
    }
    await ports.purchases.update(purchase.email, ORIGIN, () => ({ purchase }))
    expect(await readDatabaseStatistics(ports)).toMatchObject({
      purchases: { review: 1 },
      awaitingReview: 1,
    })

    await ports.refunds.update([REFUND], ORIGIN, (_, refund) => ({ ...refund, amount: 400 }))
    expect(await readDatabaseStatistics(ports)).toMatchObject({
      purchases: { review: 1 },
      awaitingReview: 0,
    })
  })
})
