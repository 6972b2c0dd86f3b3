import { describe, expect, test } from 'bun:test'
import type { Email } from '../../domain/email.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { PLACES } from '../support/service/places.ts'
import { buyerSetup } from '../support/service/real-buyer.ts'
import { STRIPE_EVENT_NAMES, type StripeObject } from '../support/stripe/stripe-events.ts'
import { SERVER_ERROR } from '../support/stripe-double/faults.ts'

const PAID = 'checkout.session.completed.paid'
const RECEIVED = { status: 200, body: { received: true } }
const COME_AGAIN = answers(503, 'Temporarily unavailable')

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openBuyer = buyerSetup(openPlace)

  describe('a voucher', () => {
    const FREE = 'checkout.session.completed.no_payment_required'
    const reduced = (amount_total: number) => ({
      amount_total,
      total_details: { amount_discount: 400 - amount_total, amount_shipping: 0, amount_tax: 0 },
    })
    const HALF_PRICE = reduced(200)

    test.each<[string, string, StripeObject]>([
      ['everything', FREE, {}],
      ['a part', PAID, HALF_PRICE],
    ])('for %s gives premium where promotion codes are on', async (_, name, fields) => {
      const { service, eventOf, hasPremium, alarms } = await openBuyer({
        allowPromotionCodes: true,
      })
      expect(await service.deliver(eventOf(name, fields))).toMatchObject(RECEIVED)
      expect(await hasPremium()).toBe(true)
      expect(alarms()).toEqual([])
    })

    test.each<[string, string, StripeObject]>([
      ['everything', FREE, {}],
      ['a part', PAID, HALF_PRICE],
    ])('for %s gives nothing where they are off', async (_, name, fields) => {
      const { service, eventOf, hasPremium, alarms } = await openBuyer()
      expect(await service.deliver(eventOf(name, fields))).toMatchObject(RECEIVED)
      expect(await hasPremium()).toBe(false)
      expect(alarms()).toHaveLength(1)
    })

    test.each<[string, string, StripeObject]>([
      ['everything', FREE, {}],
      ['all but a cent less than the least', PAID, reduced(199)],
    ])(
      'for %s waits for an operator where it leaves less than must be paid',
      async (_, name, fields) => {
        const terms = { allowPromotionCodes: true, amountMin: 200 }
        const { service, eventOf, hasPremium, account, alarms } = await openBuyer(terms)
        expect(await service.deliver(eventOf(name, fields))).toMatchObject(RECEIVED)
        expect(await hasPremium()).toBe(false)
        expect(await account()).toMatchObject({
          purchases: [{ state: 'review', reviewReason: 'amount' }],
        })
        expect(alarms()).toHaveLength(1)
      },
    )

    test('that leaves the least that must be paid gives premium', async () => {
      const terms = { allowPromotionCodes: true, amountMin: 200 }
      const { service, eventOf, hasPremium, alarms } = await openBuyer(terms)
      expect(await service.deliver(eventOf(PAID, HALF_PRICE))).toMatchObject(RECEIVED)
      expect([await hasPremium(), alarms()]).toEqual([true, []])
    })

    test('is compared by the undiscounted amount, so a cheaper product is not taken for a voucher', async () => {
      const { service, eventOf, hasPremium } = await openBuyer({ allowPromotionCodes: true })
      const cheaper = { amount_total: 200, amount_subtotal: 200 }
      expect(await service.deliver(eventOf(PAID, cheaper))).toMatchObject(RECEIVED)
      expect(await hasPremium()).toBe(false)
    })

    test('for a part is refunded in full by what was paid', async () => {
      const { service, eventOf, hasPremium } = await openBuyer({ allowPromotionCodes: true })
      await service.deliver(eventOf(PAID, HALF_PRICE))
      await service.deliver(eventOf('refund.created.succeeded', { amount: 199 }))
      expect(await hasPremium()).toBe(true)
      await service.deliver(eventOf('refund.created.succeeded', { id: 're_rest', amount: 1 }))
      expect(await hasPremium()).toBe(false)
    })
  })

  describe('another service’s session', () => {
    test.each<[string, StripeObject]>([
      ['names our purchase', {}],
      ['names our purchase for another amount', { amount_total: 1, amount_subtotal: 1 }],
      ['names nothing of ours', { client_reference_id: null, metadata: {} }],
      [
        'names a purchase nobody made',
        { client_reference_id: 'x', metadata: { purchase_id: 'x' } },
      ],
      ['was typed for our buyer', { client_reference_id: EMAIL, metadata: { email: EMAIL } }],
    ])('that %s is received, gives nothing and leaves ours alone', async (_, fields) => {
      const { service, eventOf, hasPremium, account, alarms, sessionId } = await openBuyer()
      const before = await account()

      const event = eventOf(PAID, { id: 'cs_test_somebody_else', ...fields })
      expect(await service.deliver(event)).toMatchObject(RECEIVED)

      expect(await hasPremium()).toBe(false)
      expect(await account()).toEqual(before)
      expect(alarms()).toEqual([])
      expect((await service.get('/payment/success?session_id=cs_test_somebody_else')).status).toBe(
        404,
      )
      await service.deliver(eventOf(PAID, { id: sessionId }))
      expect(await hasPremium()).toBe(true)
    })

    test('gives nothing to the address that was typed at the provider, but to the one that was verified', async () => {
      const { service, eventOf, hasPremium } = await openBuyer()
      await service.deliver(eventOf('checkout.session.completed.other_email_typed'))
      expect(await hasPremium()).toBe(true)
      const typed = eventOf('checkout.session.completed.other_email_typed').data.object
      const { email } = typed['customer_details'] as { email: string }
      expect(email).not.toBe(EMAIL)
      expect(await service.hasPremium(email)).toBe(false)
    })
  })

  describe('a delivery', () => {
    test('of a paid session makes no network call at all', async () => {
      const { double, service, eventOf, hasPremium } = await openBuyer()
      const before = double.count()
      await service.deliver(eventOf(PAID))
      expect(await hasPremium()).toBe(true)
      expect(double.count()).toBe(before)
    })

    test('of the other mode is received and changes nothing about refunds and disputes', async () => {
      const { double, service, eventOf, account, sessionId } = await openBuyer()
      for (const event of double.pay(sessionId)) await service.deliver(event)
      const before = [await service.contents(), double.count()]
      const names = STRIPE_EVENT_NAMES.filter((name) => /^(?:refund|charge)\./.test(name))
      for (const name of names) {
        const live = eventOf(name, { livemode: true }, { livemode: true })
        expect(await service.deliver(live)).toMatchObject(RECEIVED)
      }
      expect([await service.contents(), double.count()]).toEqual(before)

      expect(await service.deliver(eventOf('refund.created.succeeded'))).toMatchObject(RECEIVED)
      expect((await account()).refunds).toHaveLength(1)
      console.log(`events of the other mode: ${names.length} received, nothing done`)
    })

    test('is asked for again while the database is out of reach, and then has its effect', async () => {
      const { service, eventOf, inTurn, hasPremium } = await openBuyer()
      const broken = inTurn(1)
      broken.close()
      for (const name of [PAID, 'refund.created.partial', 'charge.dispute.created.inquiry']) {
        const answer = await service.deliver(eventOf(name), '/webhook/stripe', broken)
        expect(answer).toMatchObject(COME_AGAIN)
        expect(answer.header('retry-after')).toMatch(/^[1-9]\d*$/)
      }
      expect(await hasPremium()).toBe(false)
      expect(await service.deliver(eventOf(PAID))).toMatchObject(RECEIVED)
      expect(await hasPremium()).toBe(true)
    })

    test('that hints at a refund is asked for again while Stripe is out of reach, and then has its effect', async () => {
      const { double, service, hasPremium, sessionId } = await openBuyer()
      for (const event of double.pay(sessionId)) await service.deliver(event)
      const hint = double.refund(sessionId).find(({ type }) => type === 'charge.refunded')!

      double.fault(SERVER_ERROR, { times: 10 })
      const answer = await service.deliver(hint)
      expect(answer).toMatchObject(COME_AGAIN)
      expect(answer.header('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(await hasPremium()).toBe(true)

      double.clearFaults()
      expect(await service.deliver(hint)).toMatchObject(RECEIVED)
      expect(await hasPremium()).toBe(false)
    })

    test.each([
      [399, true],
      [400, false],
    ])('that hints at refunds of %d of 400 leaves premium: %p', async (amount, premium) => {
      const { double, service, hasPremium, sessionId } = await openBuyer()
      for (const event of double.pay(sessionId)) await service.deliver(event)
      const hint = double
        .refund(sessionId, { amount })
        .find(({ type }) => type === 'charge.refunded')!
      expect(await service.deliver(hint)).toMatchObject(RECEIVED)
      expect(await hasPremium()).toBe(premium)
    })
  })

  describe('premium that was taken back', () => {
    test.each(['refund.created.succeeded', 'charge.dispute.created.chargeback'])(
      'by %s closes both premium endpoints at once, opens the way to a new purchase, and that one counts',
      async (name) => {
        const { double, service, eventOf, sessionId } = await openBuyer()
        for (const event of double.pay(sessionId)) await service.deliver(event)
        const code = await service.mailCode()
        const { body } = await service.post('/auth/confirm-email', { email: EMAIL, code })
        const authorization = `Bearer ${(body as { token: string }).token}`
        for (const path of ['/premium-reasons', '/i18n']) {
          expect((await service.get(path, { authorization })).status).toBe(200)
        }

        await service.deliver(eventOf(name))

        for (const path of ['/premium-reasons', '/i18n']) {
          expect(await service.get(path, { authorization })).toMatchObject(
            answers(
              403,
              'Premium access required',
              'You must purchase premium access to use this feature',
            ),
          )
        }
        const again = await service.post('/checkout', { email: EMAIL })
        const { sessionId: next } = again.body as { sessionId: string }
        expect(next).not.toBe(sessionId)
        for (const event of double.pay(next)) await service.deliver(event)
        expect((await service.get('/i18n', { authorization })).status).toBe(200)
      },
    )

    test('does not touch the premium of another buyer', async () => {
      const ada = await openBuyer()
      const events = ada.double.pay(ada.sessionId)
      for (const event of events) await ada.service.deliver(event)
      const refund = ada.eventOf('refund.created.succeeded', { payment_intent: 'pi_of_bob' })
      await ada.service.deliver(refund)
      await ada.service.deliver(
        ada.eventOf('charge.dispute.created.chargeback', { payment_intent: 'pi_of_bob' }),
      )
      expect(await ada.hasPremium()).toBe(true)
      expect(await ada.service.hasPremium('bob@example.com' as Email)).toBe(false)
    })
  })
})
