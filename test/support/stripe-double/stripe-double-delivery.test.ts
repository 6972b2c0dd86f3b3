import { afterEach, describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { stripePaymentGateway } from '../../../infrastructure/stripe/payment-gateway.ts'
import { returnUrls } from '../../../interfaces/composition/compose-providers.ts'
import { fixedClock } from '../fakes.ts'
import {
  newPurchase,
  PLAIN_TERMS,
  PRICE,
  PUBLIC_URL,
  SEALS,
  WEBHOOK_SECRET,
} from '../stripe/payment-gateways.ts'
import { startStripeDouble } from './stripe-double.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

describe('events of the Stripe double', () => {
  async function startWithWebhook() {
    const clock = fixedClock()
    const double = await startStripeDouble({ webhookSecret: WEBHOOK_SECRET, clock })
    ends.push(double.stop)
    const { payments, notifications } = stripePaymentGateway({
      webhookSecrets: [WEBHOOK_SECRET],
      clock,
      secretKey: double.secretKey,
      apiUrl: double.url,
      product: { price: PRICE, name: 'Alibi Premium' },
      returnUrls: returnUrls(PUBLIC_URL),
      terms: PLAIN_TERMS,
      log() {},
      seals: SEALS,
    })
    const received: string[] = []
    let status = 200
    const webhook = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const signature = request.headers.get('stripe-signature')
        const payload = await request.bytes()
        received.push((await notifications.verifyEvent({ payload, signature })).eventType)
        return new Response(null, { status })
      },
    })
    ends.push(() => webhook.stop(true))
    double.deliverTo(`${webhook.url}webhook/stripe`)
    const { sessionId: id } = await payments.createSession(newPurchase(clock.now()))
    const answerWith = (next: number) => {
      status = next
    }
    return { double, clock, id, received, answerWith }
  }

  test('are held until they are delivered, and signed then', async () => {
    const { double, id, received } = await startWithWebhook()
    double.pay(id)
    expect(received).toEqual([])
    expect(await double.deliverAll()).toEqual([200, 200, 200, 200])
    expect(received).toEqual(double.events.map(({ type }) => type))
    expect(double.held()).toEqual([])
  })

  test('come in any order and any number, as the test says', async () => {
    const { double, id, received } = await startWithWebhook()
    const events = double.pay(id)
    for (const event of [events.at(-1)!, events[0]!, events.at(-1)!]) await double.deliver(event)
    expect(received).toEqual([
      'checkout.session.completed',
      'payment_intent.created',
      'checkout.session.completed',
    ])
  })

  test('that were not taken are still held', async () => {
    const { double, id, answerWith } = await startWithWebhook()
    double.expire(id)
    answerWith(503)
    expect(await double.deliverAll()).toEqual([503])
    expect(double.held()).toHaveLength(1)
    answerWith(200)
    expect(await double.deliverAll()).toEqual([200])
    expect(double.held()).toHaveLength(0)
  })

  test('tell of a session that ran out of time by itself', async () => {
    const { double, clock, received } = await startWithWebhook()
    clock.advance(33 * MINUTE_MS)
    await double.deliverAll()
    expect(received).toEqual(['checkout.session.expired'])
  })
})
