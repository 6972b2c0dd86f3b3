import { describe, expect, test } from 'bun:test'
import type Stripe from 'stripe'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import type { Price, PurchaseId } from '../../domain/order.ts'
import { type OrderSeals, orderSeals } from '../../infrastructure/secrets/order-seals.ts'
import { openService } from '../support/service/real-service.ts'
import { newPurchase, PRICE } from '../support/stripe/payment-gateways.ts'
import { stripeSetup } from '../support/stripe/stripe-setup.ts'

const SEALS = orderSeals({ secret: 'the secret under which orders are sealed' })
const STRANGERS_SEALS = orderSeals({ secret: 'the secret of another service altogether' })
const CENT: Price = { amount: 1, currency: 'eur' }
const EMAIL = 'mario.rossi@example.com' as Email

const start = stripeSetup()

/** A service that sells at `PRICE`, and whose database does not know what its Stripe account holds. */
async function openForgetful({
  seals = SEALS,
  price = PRICE,
}: {
  seals?: OrderSeals
  price?: Price
} = {}) {
  const { double, gateway, clock } = await start({ seals: SEALS })
  const product = { price, name: 'Alibi Premium' }
  const service = openService({ stripe: double, clock, seals, product })

  /** A session that comes from this service's payment page, with other metadata where a test gives some. */
  async function order(
    metadata: Record<string, string | null> = {},
    session: Partial<Stripe.Checkout.Session> = {},
  ) {
    const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
    const made = double.sessions.get(sessionId)!
    const all = Object.entries({ ...made.metadata, ...metadata })
    const kept = all.filter((entry): entry is [string, string] => entry[1] !== null)
    const named = Object.fromEntries(kept)
    double.alterSession(sessionId, {
      metadata: named,
      client_reference_id: named['purchase_id'] ?? null,
      ...session,
    })
    return sessionId
  }

  const paid = (sessionId: string) => double.pay(sessionId).at(-1)!

  return {
    double,
    clock,
    service,
    order,
    paid,
    /** An order at one cent, as somebody with the account's key can write it. */
    orderAtOneCent: (metadata: Record<string, string | null> = {}) =>
      order({ amount: '1', seal: null, ...metadata }, { amount_subtotal: 1, amount_total: 1 }),
    purchases: async () => (await service.ports.purchases.findAccount(EMAIL)).purchases,
    alarms: () => service.ports.log.lines.filter(({ level }) => level === 'error'),
    hasPremium: () => service.hasPremium(EMAIL),
  }
}
type Forgetful = Awaited<ReturnType<typeof openForgetful>>

/** Everything that tells of a session, again and again: none of it brings access. */
async function expectReview(shop: Forgetful, sessionId: string): Promise<void> {
  const { service, double, clock, purchases, alarms, hasPremium } = shop
  const event = shop.paid(sessionId)
  for (let times = 0; times < 3; times++) {
    expect(await service.deliver(event)).toMatchObject({ status: 200, body: { received: true } })
    expect((await service.get(`/payment/success?session_id=${sessionId}`)).status).toBe(200)
    await service.reconcile('all')
    await service.deliverOutbox()
    clock.advance(HOUR_MS)
  }
  const [purchase, ...others] = await purchases()
  expect([purchase, others]).toMatchObject([{ state: 'review', reviewReason: 'order' }, []])
  const named = { session: sessionId, purchase: purchase?.id, reason: 'order' }
  expect(alarms()).toMatchObject([{ event: 'payment.needs_review', fields: named }])
  expect(await hasPremium()).toBe(false)
  expect(service.sentNotices).toEqual([])
  expect(double.refunds.size).toBe(0)
}

async function expectPremium({ service, hasPremium, purchases, alarms }: Forgetful) {
  expect(await hasPremium()).toBe(true)
  expect(await purchases()).toMatchObject([{ state: 'paid' }])
  expect(alarms()).toEqual([])
  await service.deliverOutbox()
  expect(service.sentNotices).toHaveLength(1)
}

describe('an order that the database does not know', () => {
  test('is not believed because an event says so: Stripe knows no such session', async () => {
    const shop = await openForgetful()
    const event = shop.paid(await shop.order())
    const object = { ...event.data.object, id: 'cs_test_that_nobody_made' }
    const answer = await shop.service.deliver({ ...event, data: { object } })
    expect(answer).toMatchObject({ status: 200, body: { received: true } })
    expect(await shop.purchases()).toEqual([])
    expect(await shop.hasPremium()).toBe(false)
  })

  test('is not paid because an event says so: Stripe says that it is open', async () => {
    const shop = await openForgetful()
    const sessionId = await shop.order()
    const open = structuredClone(shop.double.sessions.get(sessionId)!)
    const event = shop.paid(sessionId)
    shop.double.sessions.set(sessionId, open)
    expect(await shop.service.deliver(event)).toMatchObject({ status: 200 })
    expect(await shop.purchases()).toEqual([])
  })

  test('costs what Stripe says, not what the event says', async () => {
    const shop = await openForgetful()
    const sessionId = await shop.order({}, { amount_total: 1, amount_subtotal: 1 })
    const event = shop.paid(sessionId)
    const object = { ...event.data.object, amount_total: 400, amount_subtotal: 400 }
    expect(await shop.service.deliver({ ...event, data: { object } })).toMatchObject({
      status: 200,
    })
    expect(await shop.purchases()).toMatchObject([{ state: 'review', reviewReason: 'amount' }])
    expect(await shop.hasPremium()).toBe(false)
  })

  test('asks Stripe about no other shop’s sessions', async () => {
    const shop = await openForgetful()
    const event = shop.paid(await shop.order({}, { success_url: 'https://other.example/' }))
    const asked = shop.double.count()
    expect(await shop.service.deliver(event)).toMatchObject({ status: 200 })
    expect(shop.double.count()).toBe(asked)
  })

  test('is answered 503 while Stripe cannot be asked about it, and nothing is stored', async () => {
    for (const route of [
      'GET /v1/checkout/sessions/:id',
      'GET /v1/refunds',
      'GET /v1/disputes',
    ] as const) {
      const shop = await openForgetful()
      const event = shop.paid(await shop.order())
      const before = await shop.service.contents()
      shop.double.fault({ status: 400, headers: {}, body: '{}' }, { times: 9, on: route })
      const answer = await shop.service.deliver(event)
      expect(answer).toMatchObject({ status: 503, body: { error: 'Temporarily unavailable' } })
      expect(answer.header('retry-after')).not.toBeNull()
      expect(await shop.service.contents()).toEqual(before)
    }
  })

  test('gives no access for a moment where its money was given back', async () => {
    const shop = await openForgetful()
    const sessionId = await shop.order()
    const event = shop.paid(sessionId)
    shop.double.refund(sessionId)
    await shop.service.deliver(event)
    expect(await shop.hasPremium()).toBe(false)
    expect(await shop.purchases()).toMatchObject([{ state: 'paid' }])
    const { audit_entries: audit = [], outbox } = await shop.service.contents()
    expect([audit.length, outbox]).toEqual([2, []])
    for (const entry of audit) expect(entry).toMatchObject({ is_active: 0 })
  })

  test('gives none while the bank has its money back, also where that was forgotten here', async () => {
    const shop = await openForgetful()
    const sessionId = await shop.order()
    const event = shop.paid(sessionId)
    for (const told of shop.double.dispute(sessionId, 'chargeback'))
      await shop.service.deliver(told)
    shop.clock.advance(49 * HOUR_MS)
    const pruned = { upTo: new Date(shop.clock.now().getTime() - 2 * DAY_MS), limit: 10 }
    expect(await shop.service.ports.retention.prune('foreign_reversals', pruned)).toBe(1)
    await shop.service.deliver(event)
    expect(await shop.hasPremium()).toBe(false)
  })
})

describe('a sealed order', () => {
  test('is believed at any price', async () => {
    const shop = await openForgetful({ price: { amount: 999, currency: 'usd' } })
    await shop.service.deliver(shop.paid(await shop.order()))
    await expectPremium(shop)
  })

  test('is believed under the secret before, which is being rolled', async () => {
    const rolled = orderSeals({
      secret: 'a new secret under which orders are sealed',
      previousSecret: 'the secret under which orders are sealed',
    })
    const shop = await openForgetful({ seals: rolled, price: { amount: 999, currency: 'usd' } })
    await shop.service.deliver(shop.paid(await shop.order()))
    await expectPremium(shop)
  })

  const sealOf = (seals: OrderSeals, price: Price, id = 'pur_stranger') =>
    seals.sealOf({ id: id as PurchaseId, email: EMAIL, price })
  const FORGERIES: readonly (readonly [string, Record<string, string>])[] = [
    [
      'whose address is another',
      {
        email: EMAIL,
        seal: SEALS.sealOf({
          id: 'pur_stranger' as PurchaseId,
          email: 'other@example.com' as Email,
          price: PRICE,
        }),
        purchase_id: 'pur_stranger',
      },
    ],
    ['whose name is another', { purchase_id: 'pur_stranger', seal: sealOf(SEALS, PRICE, 'pur_2') }],
    ['whose amount is another', { purchase_id: 'pur_stranger', seal: sealOf(SEALS, CENT) }],
    [
      'whose currency is another',
      { purchase_id: 'pur_stranger', seal: sealOf(SEALS, { ...PRICE, currency: 'usd' }) },
    ],
    [
      'that a stranger sealed',
      { purchase_id: 'pur_stranger', seal: sealOf(STRANGERS_SEALS, PRICE) },
    ],
    ['with a seal that is none', { seal: 'x' }],
    ['with a seal that is too long', { seal: `${sealOf(SEALS, PRICE)}A` }],
  ]
  test.each(FORGERIES)('%s waits for an operator, even at today’s price', async (_, metadata) => {
    const shop = await openForgetful()
    await expectReview(shop, await shop.order(metadata))
  })
})

describe('an order without a seal', () => {
  test('of one cent waits for an operator', async () => {
    const shop = await openForgetful()
    await expectReview(shop, await shop.orderAtOneCent())
  })

  test('of one cent stays refused when it becomes two, or the price becomes a cent', async () => {
    const shop = await openForgetful()
    await shop.service.deliver(shop.paid(await shop.orderAtOneCent()))
    await shop.service.deliver(shop.paid(await shop.orderAtOneCent()))
    expect(await shop.purchases()).toMatchObject([{ state: 'review' }, { state: 'review' }])
    expect(shop.alarms()).toHaveLength(2)
    expect(await shop.hasPremium()).toBe(false)
  })

  test('is not restored while its money is on the way, and waits for an operator once it is there', async () => {
    const shop = await openForgetful()
    const sessionId = await shop.orderAtOneCent()
    const [onItsWay] = shop.double.payLate(sessionId).slice(-1)
    expect(await shop.service.deliver(onItsWay!)).toMatchObject({ status: 200 })
    expect(await shop.purchases()).toEqual([])
    shop.clock.advance(MINUTE_MS)
    for (const event of shop.double.lateSucceed(sessionId)) await shop.service.deliver(event)
    expect(await shop.purchases()).toMatchObject([{ state: 'review', reviewReason: 'order' }])
    expect(await shop.hasPremium()).toBe(false)
  })

  test('is believed at today’s price, as the release before made it', async () => {
    const shop = await openForgetful()
    await shop.service.deliver(shop.paid(await shop.order({ seal: null })))
    await expectPremium(shop)
  })

  test('is believed at a price that a purchase here was asked at', async () => {
    const shop = await openForgetful({ price: { amount: 999, currency: 'eur' } })
    const purchase = newPurchase(shop.clock.now(), { email: 'ada@example.com' as Email })
    const origin = { at: shop.clock.now(), by: 'checkout', source: null } as const
    await shop.service.ports.purchases.update(purchase.email, origin, () => ({ purchase }))
    await shop.service.deliver(shop.paid(await shop.order({ seal: null })))
    await expectPremium(shop)
  })

  test('is not believed at a price of old that nobody here was asked at', async () => {
    const shop = await openForgetful({ price: { amount: 999, currency: 'eur' } })
    await expectReview(shop, await shop.order({ seal: null }))
  })
})

test('a purchase that the database knows is paid without a question to Stripe', async () => {
  const shop = await openForgetful()
  const { service, double } = shop
  await service.verify(EMAIL)
  const { body } = await service.post('/checkout', { email: EMAIL })
  const event = shop.paid((body as { sessionId: string }).sessionId)
  const asked = double.count()
  await service.deliver(event)
  expect(double.count()).toBe(asked)
  expect(await shop.hasPremium()).toBe(true)
})
