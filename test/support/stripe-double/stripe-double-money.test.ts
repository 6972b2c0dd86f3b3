import { describe, expect, test } from 'bun:test'
import Stripe from 'stripe'
import { DAY_MS } from '../../../domain/duration.ts'
import { payOne, stripeSetup } from '../stripe/stripe-setup.ts'

// That our Stripe is as strict about refunds and lists as Stripe, and remembers who has heard of what.

const start = stripeSetup()

async function startWithPayment() {
  const started = await start()
  const { hostname: host, port } = new URL(started.double.url)
  const stripe = new Stripe(started.double.secretKey, {
    host,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
  })
  const { sessionId, paymentIntentId: payment_intent } = await payOne(started)
  return { ...started, stripe, sessionId, payment_intent }
}

function idIn(events: readonly { data: { object: Record<string, unknown> } }[]): string {
  return String(events[0]?.data.object['id'])
}

describe('a refund', () => {
  test.each([
    [{ reason: 'boredom' }, { param: 'reason' }],
    [{ payment_intent: '' }, { code: 'parameter_missing' }],
    [{ payment_intent: 'pi_nobody' }, { code: 'resource_missing' }],
    [{ amount: 0 }, { param: 'amount' }],
    [{ surprise: 1 }, { code: 'parameter_unknown' }],
  ])('with %j is refused', async (own, refusal) => {
    const { double, stripe, payment_intent } = await startWithPayment()
    const refused = stripe.refunds.create({ payment_intent, ...own })
    await expect(refused).rejects.toMatchObject(refusal)
    expect(double.refunds.size).toBe(0)
  })

  test('tells its reason', async () => {
    const { stripe, payment_intent } = await startWithPayment()
    const refund = await stripe.refunds.create({ payment_intent, reason: 'duplicate' })
    expect(refund).toMatchObject({ object: 'refund', reason: 'duplicate', status: 'succeeded' })
  })

  test('may begin as pending, and arrive', async () => {
    const { double, stripe, payment_intent } = await startWithPayment()
    double.answerRefunds('pending')
    const refund = await stripe.refunds.create({ payment_intent })
    expect(refund).toMatchObject({ status: 'pending' })
    expect(double.completeRefund(refund.id).map(({ type }) => type)).toEqual([
      'refund.updated',
      'charge.refund.updated',
    ])
    const { data } = await stripe.refunds.list({ payment_intent })
    expect(data).toMatchObject([{ id: refund.id, status: 'succeeded' }])
  })

  test('of money that the bank has is refused, until the dispute is won', async () => {
    const { double, stripe, sessionId, payment_intent } = await startWithPayment()
    const inquiry = idIn(double.dispute(sessionId, 'inquiry'))
    expect(await stripe.refunds.create({ payment_intent, amount: 1 })).toMatchObject({ amount: 1 })
    double.escalate(inquiry)
    const refused = { statusCode: 400, code: 'charge_disputed' }
    await expect(stripe.refunds.create({ payment_intent })).rejects.toMatchObject(refused)
    double.closeDispute(inquiry, 'lost')
    await expect(stripe.refunds.create({ payment_intent })).rejects.toMatchObject(refused)
    double.closeDispute(inquiry, 'won')
    expect(await stripe.refunds.create({ payment_intent })).toMatchObject({ amount: 399 })
  })

  test('that was refused when it was carried out is refused under its key for a day', async () => {
    const { double, stripe, clock, sessionId, payment_intent } = await startWithPayment()
    const refund = () => stripe.refunds.create({ payment_intent }, { idempotencyKey: 'key' })
    const disputeId = idIn(double.dispute(sessionId, 'chargeback'))
    await expect(refund()).rejects.toMatchObject({ code: 'charge_disputed' })
    double.closeDispute(disputeId, 'won')
    clock.advance(DAY_MS - 1)
    await expect(refund()).rejects.toMatchObject({ code: 'charge_disputed' })
    clock.advance(1)
    expect(await refund()).toMatchObject({ amount: 400 })
  })
})

describe('the events', () => {
  test('are undelivered until a webhook has taken them', async () => {
    const { double, stripe } = await startWithPayment()
    let status = 503
    const webhook = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(null, { status }),
    })
    double.deliverTo(webhook.url.href)
    const list = async (delivery_success: boolean) => {
      const { data } = await stripe.events.list({ delivery_success })
      return data.map(({ id, pending_webhooks }) => [id, pending_webhooks])
    }
    const [first, ...others] = double.events
    const pending = others.map(({ id }) => [id, 1]).reverse()
    expect(others.length).toBeGreaterThan(0)

    expect(await double.deliver(first!)).toBe(503)
    expect(await list(true)).toEqual([])
    expect(await list(false)).toEqual([...pending, [first!.id, 1]])

    status = 204
    expect(await double.deliver(first!)).toBe(204)
    expect(await list(true)).toEqual([[first!.id, 0]])
    expect(await list(false)).toEqual(pending)
    await webhook.stop(true)
  })

  test('can be marked as delivered and as undelivered, and forgotten', async () => {
    const { double, stripe } = await startWithPayment()
    const count = async () => (await stripe.events.list({ delivery_success: false })).data.length
    const [event] = double.events
    const all = double.events.length
    double.markDelivered(event!)
    expect([await count(), double.held().length]).toEqual([all - 1, all - 1])
    double.markUndelivered(event!)
    expect([await count(), double.held().length]).toEqual([all, all])
    double.forgetEvents()
    expect([await count(), double.held().length]).toEqual([0, 0])
  })

  test('are listed by type or types, and never by both or by more than 20', async () => {
    const { stripe } = await startWithPayment()
    const [type, other] = ['checkout.session.completed', 'charge.succeeded'] as const
    const listed = await stripe.events.list({ types: [type, other] })
    expect(listed.data.map((event) => event.type)).toEqual([type, other])
    expect((await stripe.events.list({ type })).data).toHaveLength(1)
    const both = stripe.events.list({ type, types: [other] })
    await expect(both).rejects.toMatchObject({ statusCode: 400 })
    const tooMany = stripe.events.list({ types: new Array<string>(21).fill(type) })
    await expect(tooMany).rejects.toMatchObject({ param: 'types' })
  })

  test('are listed for 30 days', async () => {
    const { stripe, clock } = await startWithPayment()
    clock.advance(30 * DAY_MS)
    expect((await stripe.events.list()).data).toHaveLength(4)
    clock.advance(1000)
    expect((await stripe.events.list()).data).toHaveLength(0)
  })

  test('are asked for in lists without numbers, too', async () => {
    const { double } = await startWithPayment()
    const query = 'types[]=charge.succeeded&types[]=payment_intent.succeeded&delivery_success=false'
    const headers = { authorization: `Bearer ${double.secretKey}` }
    const response = await fetch(`${double.url}/v1/events?${query}`, { headers })
    const { data } = (await response.json()) as { data: { type: string }[] }
    expect(data.map(({ type }) => type)).toEqual(['payment_intent.succeeded', 'charge.succeeded'])
  })
})

test('listed sessions show their payments whole only when asked to', async () => {
  const { stripe, payment_intent } = await startWithPayment()
  const list = (expand?: string[]) => stripe.checkout.sessions.list(expand ? { expand } : {})
  expect((await list()).data).toMatchObject([{ payment_intent }])
  expect((await list(['data.payment_intent'])).data).toMatchObject([
    { payment_intent: { id: payment_intent, object: 'payment_intent', status: 'succeeded' } },
  ])
  await expect(list(['payment_intent'])).rejects.toMatchObject({ statusCode: 400 })
})
