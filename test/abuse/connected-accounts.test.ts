import { describe, expect, test } from 'bun:test'
import { buyerSetup } from '../support/service/real-buyer.ts'
import type { StripeEvent } from '../support/stripe/stripe-events.ts'

const openBuyer = buyerSetup()
type Buyer = Awaited<ReturnType<typeof openBuyer>>

/** Where a platform's endpoint hears of what the accounts do that are connected to it. */
const ORIGINS: readonly (readonly [string, Partial<StripeEvent>])[] = [
  ['account', { account: 'acct_1ConnectedShop' }],
  ['account by its context', { context: 'acct_1ConnectedShop' }],
  ['account and a context', { account: 'acct_1ConnectedShop', context: 'acct_1ConnectedShop' }],
]

/** All that a notification could claim about the buyer's own purchase. */
const CLAIMS = [
  'checkout.session.completed.paid',
  'checkout.session.completed.no_payment_required',
  'checkout.session.completed.unpaid',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'refund.created.succeeded',
  'charge.refunded.full',
  'charge.dispute.created.chargeback',
  'charge.dispute.closed.won',
]

async function expectNothing(buyer: Buyer, event: StripeEvent): Promise<void> {
  const before = await buyer.service.contents()
  const asked = buyer.double.count()
  const answer = await buyer.service.deliver(event)
  expect(answer).toMatchObject({ status: 200, body: { received: true } })
  expect(await buyer.service.contents()).toEqual(before)
  expect(buyer.double.count()).toBe(asked)
}

describe.each(ORIGINS)('an event that names an %s', (_, envelope) => {
  test.each(CLAIMS)('changes nothing of a purchase that is open: %s', async (name) => {
    const buyer = await openBuyer({ allowPromotionCodes: true })
    await expectNothing(buyer, buyer.eventOf(name, {}, envelope))
    expect(await buyer.hasPremium()).toBe(false)
    // The event of our own account is another one.
    await buyer.service.deliver(buyer.eventOf('checkout.session.completed.paid'))
    expect(await buyer.hasPremium()).toBe(true)
  })

  test.each(CLAIMS)('takes nothing from whoever has paid: %s', async (name) => {
    const buyer = await openBuyer()
    buyer.double.pay(buyer.sessionId)
    await buyer.service.deliver(buyer.eventOf('checkout.session.completed.paid'))
    await expectNothing(buyer, buyer.eventOf(name, {}, envelope))
    expect(await buyer.hasPremium()).toBe(true)
  })

  test('restores no purchase', async () => {
    const buyer = await openBuyer()
    const purchaseId = 'pur_unheard0f'
    const event = buyer.eventOf('checkout.session.completed.paid', {
      id: 'cs_test_of_a_connected_account',
      client_reference_id: purchaseId,
      metadata: {
        purchase_id: purchaseId,
        email: 'thief@example.com',
        language: 'en',
        amount: '400',
        currency: 'eur',
      },
      success_url: buyer.double.sessions.get(buyer.sessionId)?.success_url,
    })
    await expectNothing(buyer, { ...event, ...envelope })
    expect(await buyer.service.hasPremium('thief@example.com')).toBe(false)
  })

  test('changes nothing where the reconciler finds it undelivered', async () => {
    const buyer = await openBuyer()
    const { double, service } = buyer
    const paid = buyer.eventOf('checkout.session.completed.paid')
    Object.assign(double.emit(paid.type, paid.data.object), envelope)
    await service.reconcile('all')
    expect(await buyer.hasPremium()).toBe(false)
    expect(await buyer.account()).toMatchObject({ purchases: [{ state: 'open' }] })
  })
})

test.each([{}, { account: null, context: null }])(
  'an event of our own account counts: %j',
  async (envelope) => {
    const buyer = await openBuyer()
    await buyer.service.deliver(buyer.eventOf('checkout.session.completed.paid', {}, envelope))
    expect(await buyer.hasPremium()).toBe(true)
  },
)
