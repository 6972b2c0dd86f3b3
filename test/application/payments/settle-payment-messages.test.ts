import { describe, expect, test } from 'bun:test'
import { settlePayment, settleSession } from '../../../application/payments/settle-payment.ts'
import type { Email } from '../../../domain/email.ts'
import { openBuyer } from '../../support/buyers.ts'
import { ORIGIN } from '../../support/fakes.ts'
import { paidPurchase } from '../../support/stores/contract-purchases.ts'

/** A buyer, and the kinds of messages that wait because of the purchase. */
async function open(rules: { refundDuplicates?: boolean } = {}) {
  const buyer = await openBuyer()
  Object.assign(buyer.ports.rules, rules)
  const kinds = async () =>
    (await buyer.ports.outbox.findByPurchase(buyer.purchaseId)).map(({ kind }) => kind)
  const report = async (outcome: Parameters<typeof buyer.move>[0]) => {
    buyer.move(outcome)
    await settlePayment(buyer.ports, buyer.notification(), 'webhook')
  }
  /** The address has premium by another payment already. */
  async function payFirst() {
    const first = paidPurchase('pur_first', { email: buyer.email })
    await buyer.ports.purchases.update(buyer.email, ORIGIN, () => ({ purchase: first }))
  }
  return { ...buyer, kinds, report, payFirst }
}

describe('the buyer', () => {
  test('is sent a confirmation when the payment is there, once, whoever tells of it', async () => {
    const { ports, kinds, report, sessionId } = await open()
    await report('processing')
    expect(await kinds()).toEqual([])
    await report('paid')
    for (const by of ['webhook', 'page', 'reconciler', 'operator'] as const) {
      await settleSession(ports, ports.payments.sessions.get(sessionId)!, by)
    }
    expect(await kinds()).toEqual(['payment_confirmed'])
  })

  test('gets a mail about a failed payment, once, and none about a page that merely expired', async () => {
    const failed = await open()
    await failed.report('processing')
    await failed.report('failed')
    await failed.report('failed')
    expect(await failed.kinds()).toEqual(['payment_failed'])

    const expired = await open()
    await expired.report('expired')
    expect(await expired.kinds()).toEqual([])
  })

  test('gets that mail also when the failure is reported before the promise', async () => {
    const { kinds, report } = await open()
    await report('failed')
    await report('processing')
    expect(await kinds()).toEqual(['payment_failed'])
  })

  test('gets no mail about a failure while there is premium', async () => {
    const { kinds, report, payFirst } = await open()
    await payFirst()
    await report('failed')
    expect(await kinds()).toEqual([])
  })

  test('is mailed in the language of the checkout', async () => {
    const { ports, purchaseId, report } = await open()
    await report('paid')
    expect(await ports.outbox.findByPurchase(purchaseId)).toMatchObject([
      { language: 'en', amount: { amount: 400, currency: 'eur' } },
    ])
  })
})

describe('a second payment', () => {
  test('is recorded, logged and sent back, without a confirmation', async () => {
    const { ports, kinds, report, payFirst, current, purchaseId } = await open()
    await payFirst()
    await report('paid')
    await report('paid')
    expect(await current()).toMatchObject({ state: 'paid', isDuplicate: true })
    expect(await kinds()).toEqual(['duplicate_refund'])
    const warnings = ports.log.lines.filter(({ level }) => level === 'warn')
    expect(warnings).toMatchObject([{ fields: { purchase: purchaseId } }])
  })

  test('is only recorded and logged where the operator wants no refunds', async () => {
    const { kinds, report, payFirst, current } = await open({ refundDuplicates: false })
    await payFirst()
    await report('paid')
    expect(await current()).toMatchObject({ state: 'paid', isDuplicate: true })
    expect(await kinds()).toEqual([])
  })

  test('is none where premium was only given by hand', async () => {
    const { ports, email, kinds, report, current } = await open()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    await report('paid')
    expect(await current()).toMatchObject({ isDuplicate: false })
    expect(await kinds()).toEqual(['payment_confirmed'])
  })

  test('is none where another buyer paid', async () => {
    const { ports, kinds, report } = await open()
    const bert = 'bert@example.com' as Email
    const other = paidPurchase('pur_other', { email: bert })
    await ports.purchases.update(bert, ORIGIN, () => ({ purchase: other }))
    await report('paid')
    expect(await kinds()).toEqual(['payment_confirmed'])
  })

  test('that a voucher paid for has nothing to send back', async () => {
    const { ports, kinds, payFirst, move, notification, current } = await open()
    const purchase = await current()
    await ports.purchases.update(purchase.email, ORIGIN, () => ({
      purchase: { ...purchase, leastAmount: 0 },
    }))
    await payFirst()
    const voucher = { amountTotal: 0, amountDiscount: 400, paymentIntentId: null }
    const report = { ...move('paid'), ...voucher }
    await settlePayment(ports, { ...notification(), kind: 'session', report }, 'webhook')
    expect(await current()).toMatchObject({ state: 'paid', isDuplicate: true })
    expect(await kinds()).toEqual([])
  })
})

test('money that was not asked for leads to no mail and no refund', async () => {
  const { ports, kinds, move, notification, current } = await open()
  const report = { ...move('paid'), amountTotal: 1, amountSubtotal: 1 }
  await settlePayment(ports, { ...notification(), kind: 'session', report }, 'webhook')
  expect(await current()).toMatchObject({ state: 'review' })
  expect(await kinds()).toEqual([])
})
