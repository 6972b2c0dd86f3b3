import { afterAll, describe, expect, test } from 'bun:test'
import type Stripe from 'stripe'
import { reviewPurchase } from '../../application/payments/review-purchase.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Actor } from '../../domain/grant-change.ts'
import { readPurchaseId } from '../../domain/order.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { PLACES } from '../support/service/places.ts'
import { buyerSetup } from '../support/service/real-buyer.ts'

const PROCESSING = answers(409, 'Payment processing')

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openBuyer = buyerSetup(openPlace)
  type Buyer = Awaited<ReturnType<typeof openBuyer>>

  /** What Stripe says of a session, and of which it is not what was asked for. */
  const MISMATCHES: readonly (readonly [string, Partial<Stripe.Checkout.Session>])[] = [
    ['amount', { amount_total: 399 }],
    ['amount', { amount_total: 401 }],
    ['amount', { amount_total: 800, amount_subtotal: 800 }],
    ['amount', { amount_total: 400, amount_subtotal: 800 }],
    ['currency', { currency: 'usd' }],
    ['currency', { currency: 'EUR' }],
    ['currency', { currency: null }],
    ['livemode', { livemode: true }],
    ['mode', { mode: 'subscription' }],
    ['mode', { mode: 'setup' }],
  ]

  /** Every way to read the session; the first to do so puts it aside. */
  const SEERS: Readonly<Record<Exclude<Actor, 'outbox'>, (buyer: Buyer) => Promise<unknown>>> = {
    async webhook({ double, service, sessionId }) {
      const session = double.sessions.get(sessionId)!
      const event = double.emit('checkout.session.completed', session)
      const answer = await service.deliver({ ...event, livemode: session.livemode })
      expect(answer).toMatchObject({ status: 200, body: { received: true } })
    },
    async page({ service, sessionId }) {
      const page = await service.get(`/payment/success?session_id=${sessionId}`)
      expect(page.status).toBe(200)
      expect(page.text).toContain('data-state="processing"')
    },
    reconciler: ({ service }) => service.reconcile('all'),
    async checkout({ service }) {
      expect(await service.post('/checkout', { email: EMAIL })).toMatchObject(PROCESSING)
    },
    async operator({ service, purchaseId }) {
      const review = await reviewPurchase(service.ports, readPurchaseId(purchaseId)!)
      expect(review).toMatchObject({ provider: 'read', awaitsReview: true })
    },
  }

  let combinations = 0
  afterAll(() =>
    console.log(
      `sessions that are not what was asked for: ${MISMATCHES.length} x ${Object.keys(SEERS).length} who see them first,`,
      `${combinations} put aside`,
    ),
  )

  describe.each(Object.keys(SEERS) as (keyof typeof SEERS)[])(
    'a session of ours that the %s sees first',
    (first) => {
      test.each(MISMATCHES)(
        'and whose %s is not what was asked for (%j) gives nothing and calls an operator, once',
        async (reason, mismatch) => {
          const buyer = await openBuyer()
          const { double, service, sessionId, purchaseId, account, hasPremium, alarms } = buyer
          double.pay(sessionId)
          // They tell of the session as it was asked for.
          double.forgetEvents()
          double.alterSession(sessionId, mismatch)

          await SEERS[first](buyer)

          const { purchases, grants } = await account()
          expect(purchases).toMatchObject([
            { id: purchaseId, state: 'review', reviewReason: reason },
          ])
          expect(grants).toEqual([])
          const alarm = { session: sessionId, purchase: purchaseId, reason, by: first }
          expect(alarms()).toMatchObject([{ level: 'error', fields: alarm }])

          for (const see of Object.values(SEERS)) await see(buyer)
          for (let rounds = 0; rounds < 3; rounds++) {
            await service.deliverOutbox()
            service.clock.advance(MINUTE_MS)
          }
          expect(await hasPremium()).toBe(false)
          expect((await account()).purchases).toEqual(purchases)
          expect(alarms()).toHaveLength(1)
          expect(service.sentNotices).toEqual([])
          expect(await service.contents()).toMatchObject({ outbox: [], audit_entries: [] })
          expect([double.refunds.size, double.sessions.size]).toEqual([0, 1])
          combinations++
        },
      )
    },
  )

  test.each<Partial<Stripe.Checkout.Session>>([
    { amount_total: 0, amount_subtotal: 0 },
    { amount_total: null, amount_subtotal: null },
    { amount_total: 0, payment_status: 'no_payment_required' },
  ])(
    'a session of ours that brought nothing (%j) gives nothing, and the buyer can order again',
    async (mismatch) => {
      const buyer = await openBuyer()
      const { double, service, sessionId, account, hasPremium, alarms } = buyer
      double.pay(sessionId)
      double.forgetEvents()
      double.alterSession(sessionId, mismatch)

      await SEERS.webhook(buyer)
      await SEERS.page(buyer)
      await SEERS.reconciler(buyer)

      expect((await account()).purchases).toMatchObject([
        { state: 'review', reviewReason: 'amount' },
      ])
      expect(alarms()).toHaveLength(1)
      expect(await hasPremium()).toBe(false)
      expect(await service.post('/checkout', { email: EMAIL })).toMatchObject({ status: 200 })
      await service.deliverOutbox()
      expect(service.sentNotices).toEqual([])
    },
  )
})
