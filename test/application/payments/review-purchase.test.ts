import { describe, expect, test } from 'bun:test'
import { reviewPurchase } from '../../../application/payments/review-purchase.ts'
import { startCheckout } from '../../../application/payments/start-checkout.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import { openBuyer } from '../../support/buyers.ts'

/** A buyer who paid 500 where 400 were asked for, and of whom an operator hears for the first time. */
async function openOdd() {
  const buyer = await openBuyer()
  buyer.ports.payments.sessions.set(buyer.sessionId, {
    ...buyer.move('paid'),
    amountSubtotal: 500,
    amountTotal: 500,
  })
  const review = () => reviewPurchase(buyer.ports, buyer.purchaseId)
  return { ...buyer, review }
}

describe('a look at a purchase', () => {
  test('reads it again from the provider, and applies what it finds', async () => {
    const { ports, move, purchaseId } = await openBuyer()
    move('paid')
    expect(await reviewPurchase(ports, purchaseId)).toMatchObject({
      provider: 'read',
      awaitsReview: false,
      purchase: { state: 'paid' },
      grant: { id: purchaseId, payment: { amountPaid: 400 } },
      messages: [{ kind: 'payment_confirmed', state: 'waiting' }],
      audit: [{ by: 'operator', reason: 'paid', isActive: true }],
    })
  })

  test('shows what is known where the provider is out of reach, and where it knows nothing', async () => {
    const { ports, purchaseId, sessionId } = await openBuyer()
    ports.payments.outage = true
    expect(await reviewPurchase(ports, purchaseId)).toMatchObject({
      provider: 'unavailable',
      purchase: { state: 'open' },
      grant: null,
    })
    ports.payments.outage = false
    ports.payments.sessions.delete(sessionId)
    expect(await reviewPurchase(ports, purchaseId)).toMatchObject({ provider: 'missing' })
  })

  test('finds nothing under an unknown id', async () => {
    const { ports } = await openBuyer()
    expect(await reviewPurchase(ports, 'pur_nobody' as PurchaseId)).toBeNull()
  })
})

describe('money that was not asked for', () => {
  test('waits for an operator, gives nothing, and keeps the buyer from paying again', async () => {
    const { ports, review, email } = await openOdd()
    expect(await review()).toMatchObject({
      awaitsReview: true,
      purchase: { state: 'review', reviewReason: 'amount', amountReceived: 500 },
      grant: null,
      messages: [],
    })
    const again = startCheckout(ports, { email, language: 'en' })
    await expect(again).rejects.toMatchObject({ refusal: 'payment_processing' })
  })

  test('waits no longer once the operator has sent all of it back, and the buyer may try again', async () => {
    const { ports, review, email, paymentIntentId } = await openOdd()
    await review()
    const refund = (amount: number) =>
      ports.payments.refunds.push({
        id: `re_${amount}`,
        paymentIntentId,
        amount,
        state: 'succeeded',
      })
    refund(400)
    expect(await review()).toMatchObject({ awaitsReview: true, refunds: [{ amount: 400 }] })
    refund(100)
    expect(await review()).toMatchObject({ awaitsReview: false })
    expect(await startCheckout(ports, { email, language: 'en' })).toMatchObject({
      checkoutUrl: expect.stringContaining('https://'),
    })
  })
})
