import { describe, expect, test } from 'bun:test'
import type { Email } from '../../domain/email.ts'
import { answers, EMAIL } from '../interfaces/http-client.ts'
import { buyerSetup } from '../real-buyer.ts'
import { SERVER_ERROR } from '../stripe-double/faults.ts'
import { type StripeObject, signedDelivery } from '../stripe-events.ts'

const PAID = 'checkout.session.completed.paid'
const RECEIVED = { status: 200, body: { received: true } }
const COME_AGAIN = answers(503, 'Temporarily unavailable')
const MINUTE_MS = 60_000

const openBuyer = buyerSetup()

describe('a session of ours that is not what was asked for', () => {
  test.each<[string, StripeObject]>([
    ['amount', { amount_total: 399 }],
    ['amount', { amount_total: 401 }],
    ['amount', { amount_total: 0, amount_subtotal: 0 }],
    ['amount', { amount_total: null, amount_subtotal: null }],
    ['currency', { currency: 'usd' }],
    ['currency', { currency: 'EUR' }],
    ['livemode', { livemode: true }],
    ['mode', { mode: 'subscription' }],
  ])(
    'by its %s (%j) gives nothing and calls an operator once, by session and purchase',
    async (reason, fields) => {
      const { service, eventOf, account, hasPremium, alarms, sessionId, purchaseId } =
        await openBuyer()
      const event = eventOf(PAID, fields, { livemode: fields['livemode'] === true })

      for (const _ of ['first', 'duplicate']) {
        expect(await service.deliver(event)).toMatchObject(RECEIVED)
      }

      expect(await hasPremium()).toBe(false)
      expect((await account()).purchases).toMatchObject([{ state: 'review', reviewReason: reason }])
      expect(alarms()).toMatchObject([
        { level: 'error', fields: { session: sessionId, purchase: purchaseId, reason } },
      ])
    },
  )

  test('gives nothing on the success page either', async () => {
    const { double, service, hasPremium, alarms, sessionId } = await openBuyer()
    double.pay(sessionId)
    double.alterSession(sessionId, { amount_total: 1 })

    const page = await service.get(`/payment/success?session_id=${sessionId}`)

    expect(page.text).toContain('data-state="processing"')
    expect(await hasPremium()).toBe(false)
    expect(alarms()).toHaveLength(1)
  })
})

describe('a voucher', () => {
  const FREE = 'checkout.session.completed.no_payment_required'
  const HALF_PRICE = { amount_total: 200 }

  test.each<[string, string, StripeObject]>([
    ['everything', FREE, {}],
    ['a part', PAID, HALF_PRICE],
  ])('for %s gives premium where promotion codes are on', async (_, name, fields) => {
    const { service, eventOf, hasPremium, alarms } = await openBuyer({ allowPromotionCodes: true })
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

describe("somebody else's session", () => {
  test.each<[string, StripeObject]>([
    ['names our purchase', {}],
    ['names our purchase for another amount', { amount_total: 1, amount_subtotal: 1 }],
    ['names nothing of ours', { client_reference_id: null, metadata: {} }],
    ['names a purchase nobody made', { client_reference_id: 'x', metadata: { purchase_id: 'x' } }],
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
    const { service, eventOf, hasPremium } = await openBuyer()
    await service.deliver(eventOf(PAID))
    for (const name of ['refund.created.succeeded', 'charge.dispute.created.chargeback']) {
      const live = eventOf(name, { livemode: true }, { livemode: true })
      expect(await service.deliver(live)).toMatchObject(RECEIVED)
    }
    expect(await hasPremium()).toBe(true)
  })

  test('that is refused stores nothing and says nothing of what it held', async () => {
    const { service, eventOf, account, inTurn } = await openBuyer()
    const before = await account()
    const body = JSON.stringify(eventOf(PAID))
    for (const signature of ['t=1,v1=00', `t=${service.clock.now().getTime() / 1000},v1=00`]) {
      for (const path of ['/webhook/stripe', '/webhook/payment']) {
        const headers = { 'stripe-signature': signature }
        const answer = await inTurn(0).send('POST', path, { headers, body })
        expect(answer).toMatchObject(answers(400, 'Invalid signature'))
        expect(answer.text).toBe('{"error":"Invalid signature"}')
      }
    }
    expect(await account()).toEqual(before)
  })

  test('that is stale is refused', async () => {
    const { double, service, eventOf, hasPremium } = await openBuyer()
    const at = service.clock.now()
    const { payload, signature } = await signedDelivery(eventOf(PAID), {
      secret: double.webhookSecret,
      at,
    })
    const deliver = () =>
      service.send('POST', '/webhook/stripe', {
        headers: { 'stripe-signature': signature },
        body: new Uint8Array(payload),
      })
    service.clock.advance(5 * MINUTE_MS + 1000)
    expect(await deliver()).toMatchObject(answers(400, 'Invalid signature'))
    expect(await hasPremium()).toBe(false)
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
