import { afterEach, describe, expect, test } from 'bun:test'
import Stripe from 'stripe'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { fixedClock } from '../fakes.ts'
import { PRICE, WEBHOOK_SECRET } from '../stripe/payment-gateways.ts'
import { startStripeDouble } from './stripe-double.ts'

// What the other tests rely on: that our Stripe refuses what Stripe refuses, and tells what Stripe tells.

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function start({ key = 'sk_test_double' } = {}) {
  const clock = fixedClock()
  const double = await startStripeDouble({ webhookSecret: WEBHOOK_SECRET, clock })
  ends.push(double.stop)
  const { hostname: host, port } = new URL(double.url)
  const stripe = new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries: 0 })
  const now = clock.now().getTime() / 1000
  const order = {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'eur', unit_amount: 400, product_data: { name: 'Alibi' } },
      },
    ],
    expires_at: now + 1800,
    success_url: 'https://alibi.example/ok',
  } satisfies Stripe.Checkout.SessionCreateParams
  return { double, stripe, clock, now, order }
}

function lineItem(price: object, quantity = 1) {
  const price_data = { currency: 'eur', unit_amount: 400, product_data: { name: 'Alibi' } }
  return { line_items: [{ quantity, price_data: { ...price_data, ...price } }] }
}

test('a session that Stripe would make is made, and can be read', async () => {
  const { stripe, order } = await start()
  const made = await stripe.checkout.sessions.create(order)
  expect(made).toMatchObject({ object: 'checkout.session', status: 'open', amount_total: 400 })
  expect(await stripe.checkout.sessions.retrieve(made.id)).toEqual(made)
})

test.each([
  [{ expires_at: 1 }, 'expires_at'],
  [{ line_items: [] }, 'line_items'],
  [lineItem({ unit_amount: 49 }), undefined],
  [lineItem({ unit_amount: 100_000_000 }), undefined],
  [lineItem({ unit_amount: -1 }), 'unit_amount'],
  [lineItem({ unit_amount: 4.5 }), 'unit_amount'],
  [lineItem({ currency: 'xxq' }), 'currency'],
  [lineItem({}, 0), 'line_items[0][quantity]'],
  [{ line_items: [{ price: 'price_nobody', quantity: 1 }] }, 'line_items[0][price]'],
  [{ success_url: 'ok' }, 'success_url'],
  [{ customer_email: 'mario' }, undefined],
  [{ client_reference_id: 'a b' }, 'client_reference_id'],
  [{ metadata: { key: 'x'.repeat(501) } }, 'metadata'],
  [{ surprise: 1 }, 'surprise'],
])('a session with %j is refused', async (own, param) => {
  const { double, stripe, order } = await start()
  const refused = stripe.checkout.sessions.create({ ...order, ...own })
  await expect(refused).rejects.toMatchObject({ type: 'StripeInvalidRequestError', param })
  expect(double.sessions.size).toBe(0)
})

test('a session lives for 30 minutes at least and 24 hours at most', async () => {
  const { stripe, order, now } = await start()
  const create = (expires_at: number) => stripe.checkout.sessions.create({ ...order, expires_at })
  await expect(create(now + 1799)).rejects.toMatchObject({ param: 'expires_at' })
  await expect(create(now + 86_401)).rejects.toMatchObject({ param: 'expires_at' })
  expect(await create(now + 86_400)).toMatchObject({ status: 'open' })
})

test('another key is refused', async () => {
  const { stripe, order } = await start({ key: 'sk_test_stranger' })
  const refused = stripe.checkout.sessions.create(order)
  await expect(refused).rejects.toMatchObject({ type: 'StripeAuthenticationError' })
})

test('a body that is no form is refused', async () => {
  const { double } = await start()
  const response = await fetch(`${double.url}/v1/checkout/sessions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_test_double', 'content-type': 'application/json' },
    body: '{}',
  })
  expect(response.status).toBe(400)
})

describe('an idempotency key', () => {
  test('gives the same answer to the same request', async () => {
    const { double, stripe, order } = await start()
    const create = () => stripe.checkout.sessions.create(order, { idempotencyKey: 'key' })
    const [first, second] = [await create(), await create()]
    expect(second).toEqual(first)
    expect(double.sessions.size).toBe(1)
  })

  test('is refused with another request', async () => {
    const { stripe, order } = await start()
    await stripe.checkout.sessions.create(order, { idempotencyKey: 'key' })
    const other = { ...order, cancel_url: 'https://alibi.example/cancel' }
    const refused = stripe.checkout.sessions.create(other, { idempotencyKey: 'key' })
    await expect(refused).rejects.toMatchObject({ type: 'StripeIdempotencyError' })
  })

  test('is refused while the first request is under way', async () => {
    const { double, stripe, order } = await start()
    const release = double.hold('POST /v1/checkout/sessions')
    const create = () => stripe.checkout.sessions.create(order, { idempotencyKey: 'key' })
    const first = create()
    await double.seen(1)
    await expect(create()).rejects.toMatchObject({ statusCode: 409 })
    release()
    expect(await first).toMatchObject({ status: 'open' })
  })

  test('of a request that was refused can be used again', async () => {
    const { stripe, order } = await start()
    const options = { idempotencyKey: 'key' }
    const refused = stripe.checkout.sessions.create({ ...order, expires_at: 1 }, options)
    await expect(refused).rejects.toMatchObject({ statusCode: 400 })
    expect(await stripe.checkout.sessions.create(order, options)).toMatchObject({ status: 'open' })
  })
})

describe('what happens to a session', () => {
  async function startWithSession() {
    const started = await start()
    const { id } = await started.stripe.checkout.sessions.create(started.order)
    return { ...started, id }
  }
  const types = (events: readonly { type: string }[]) => events.map(({ type }) => type)

  test('is told in the events that Stripe makes, in its order', async () => {
    const { double, stripe, order, id } = await startWithSession()
    expect(types(double.decline(id))).toEqual([
      'payment_intent.created',
      'payment_intent.payment_failed',
    ])
    expect(types(double.pay(id))).toEqual([
      'charge.succeeded',
      'payment_intent.succeeded',
      'checkout.session.completed',
    ])
    const [created] = double.refund(id, { amount: 100 })
    expect(types(double.refund(id))).toEqual(['refund.created', 'charge.refunded'])
    expect(types(double.failRefund(String(created?.data.object['id'])))).toEqual([
      'refund.failed',
      'refund.updated',
      'charge.refund.updated',
    ])
    const [inquiry] = double.dispute(id, 'inquiry')
    const disputeId = String(inquiry?.data.object['id'])
    expect(types(double.escalate(disputeId))).toEqual([
      'charge.dispute.updated',
      'charge.dispute.funds_withdrawn',
    ])
    expect(types(double.closeDispute(disputeId, 'won'))).toEqual([
      'charge.dispute.closed',
      'charge.dispute.funds_reinstated',
    ])
    const late = await stripe.checkout.sessions.create(order)
    expect(types(double.payLate(late.id))).toEqual([
      'payment_intent.created',
      'payment_intent.processing',
      'checkout.session.completed',
    ])
    expect(types(double.lateFail(late.id))).toEqual([
      'payment_intent.payment_failed',
      'checkout.session.async_payment_failed',
    ])
  })

  test('shows in the API: intent, refunds, disputes, events', async () => {
    const { double, stripe, id } = await startWithSession()
    double.pay(id)
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] })
    const intent = session.payment_intent as Stripe.PaymentIntent
    expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ status: 'succeeded' })

    const refund = await stripe.refunds.create({ payment_intent: intent.id, amount: 150 })
    const tooMuch = stripe.refunds.create({ payment_intent: intent.id, amount: 251 })
    await expect(tooMuch).rejects.toMatchObject({ param: 'amount' })
    await stripe.refunds.create({ payment_intent: intent.id })
    const again = stripe.refunds.create({ payment_intent: intent.id })
    await expect(again).rejects.toMatchObject({ code: 'charge_already_refunded' })
    const refunds = await stripe.refunds.list({ payment_intent: intent.id })
    expect(refunds.data.map(({ amount }) => amount)).toEqual([250, 150])
    expect(refunds.data[1]?.id).toBe(refund.id)

    double.dispute(id, 'chargeback')
    const disputes = await stripe.disputes.list({ payment_intent: intent.id })
    expect(disputes.data).toMatchObject([{ status: 'needs_response', amount: 400 }])
    const events = await stripe.events.list({ types: ['refund.created'] })
    expect(events.data).toHaveLength(2)
  })

  test('ends it: it cannot be paid or expired twice', async () => {
    const { double, stripe, id } = await startWithSession()
    expect(await stripe.checkout.sessions.expire(id)).toMatchObject({ status: 'expired' })
    await expect(stripe.checkout.sessions.expire(id)).rejects.toMatchObject({ statusCode: 400 })
    expect(() => double.pay(id)).toThrow('expired')
  })
})

test('sessions are listed newest first, by state and time, page by page', async () => {
  const { double, stripe, order, clock, now } = await start()
  const ids: string[] = []
  for (let count = 0; count < 5; count++) {
    ids.unshift((await stripe.checkout.sessions.create({ ...order, expires_at: now + 9000 })).id)
    clock.advance(MINUTE_MS)
  }
  const all: string[] = []
  for await (const { id } of stripe.checkout.sessions.list({ limit: 2 })) all.push(id)
  expect(all).toEqual(ids)

  double.pay(ids[1]!)
  const complete = await stripe.checkout.sessions.list({ status: 'complete' })
  expect(complete.data.map(({ id }) => id)).toEqual([ids[1]!])
  const recent = await stripe.checkout.sessions.list({ created: { gte: now + 180 } })
  expect(recent.data.map(({ id }) => id)).toEqual(ids.slice(0, 2))
})

test('prices are known by their id', async () => {
  const { double, stripe } = await start()
  double.addPrice({ id: 'price_1', ...PRICE })
  expect(await stripe.prices.retrieve('price_1')).toMatchObject({ unit_amount: 400 })
  await expect(stripe.prices.retrieve('price_2')).rejects.toMatchObject({
    code: 'resource_missing',
  })
})
