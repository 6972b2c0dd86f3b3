import { afterEach, describe, expect, test } from 'bun:test'
import { createEmulator } from 'emulate'
import type { PurchaseId } from '../../../domain/order.ts'
import { draftPurchase } from '../../../domain/purchase.ts'
import { stripePaymentGateway } from '../../../infrastructure/stripe/payment-gateway.ts'
import { systemClock } from '../../../infrastructure/system-clock.ts'
import { returnUrls } from '../../../interfaces/composition/compose-providers.ts'
import {
  type Delivery,
  EMAIL,
  PLAIN_TERMS,
  PRICE,
  PUBLIC_URL,
  SEALS,
} from '../../support/stripe/payment-gateways.ts'

/*
 * A Stripe that others wrote: npm `emulate`. It shares no line with our double, so what both accept is more than our
 * own reading of Stripe. It plays: prices, creating, reading and expiring sessions, the hosted page with its redirect,
 * webhooks under Stripe's signature, and Stripe's errors for what is missing or no longer open. It does not know:
 * price_data, idempotency keys, amounts, currency, client_reference_id and expiry of a session, payment intents that
 * belong to one, late payments, refunds, disputes, the key, and the envelope of an event (it sends no event id), so
 * that its webhooks prove the signature and nothing else. All of that is the double's part.
 */

const WEBHOOK_SECRET = 'whsec_emulate'
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function start({ priceId = 'price_1' } = {}) {
  const deliveries: { payload: Uint8Array; signature: string | null }[] = []
  const webhook = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const signature = request.headers.get('stripe-signature')
      deliveries.push({ payload: await request.bytes(), signature })
      return new Response()
    },
  })
  const url = `${webhook.url}webhook/stripe`
  const emulator = await createEmulator({
    service: 'stripe',
    port: 0,
    seed: {
      stripe: {
        products: [{ id: 'prod_1', name: 'Alibi Premium' }],
        prices: [
          {
            id: 'price_1',
            product_name: 'Alibi Premium',
            currency: PRICE.currency,
            unit_amount: PRICE.amount,
          },
        ],
        webhooks: [{ url, events: ['*'], secret: WEBHOOK_SECRET }],
      },
    },
  })
  ends.push(
    () => emulator.close(),
    () => webhook.stop(true),
  )

  const clock = systemClock()
  const { payments, notifications } = stripePaymentGateway({
    secretKey: 'sk_test_emulate',
    webhookSecrets: [WEBHOOK_SECRET],
    apiUrl: emulator.url,
    product: { priceId },
    returnUrls: returnUrls(PUBLIC_URL),
    terms: PLAIN_TERMS,
    log() {},
    seals: SEALS,
    clock,
  })
  const id = 'pur_emulate' as PurchaseId
  const now = clock.now()
  const purchase = draftPurchase({
    id,
    email: EMAIL,
    language: 'en',
    price: PRICE,
    live: false,
    now,
  })
  return { gateway: { ...payments, ...notifications }, purchase, deliveries }
}

/** Presses the button on the hosted page, and says where the browser is sent. */
async function payOnHostedPage(checkoutUrl: string): Promise<string | null> {
  const page = await (await fetch(checkoutUrl)).text()
  const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
  const paid = await fetch(new URL(action, checkoutUrl), { method: 'POST', redirect: 'manual' })
  return paid.headers.get('location')
}

describe('on a Stripe that others wrote', () => {
  test('the price is read', async () => {
    const { gateway } = await start()
    expect(await gateway.price()).toEqual(PRICE)
  })

  test('a price that is not there is an outage with an answer', async () => {
    const { gateway } = await start({ priceId: 'price_2' })
    await expect(gateway.price()).rejects.toMatchObject({ outage: 'payment', answered: true })
  })

  test('a session is made and read', async () => {
    const { gateway, purchase } = await start()
    const { sessionId, checkoutUrl } = await gateway.createSession(purchase)
    expect(await gateway.readSession(sessionId)).toMatchObject({
      sessionId,
      outcome: 'open',
      live: false,
      singlePayment: true,
      url: checkoutUrl,
    })
  })

  test('a session that is not there is unknown', async () => {
    const { gateway } = await start()
    expect(await gateway.readSession('cs_nobody')).toBeNull()
    expect(await gateway.expireSession('cs_nobody')).toBeNull()
  })

  test('a session is expired, and asking again says so', async () => {
    const { gateway, purchase } = await start()
    const { sessionId } = await gateway.createSession(purchase)
    expect(await gateway.expireSession(sessionId)).toMatchObject({ outcome: 'expired', url: null })
    expect(await gateway.expireSession(sessionId)).toMatchObject({ outcome: 'expired' })
  })

  test('a buyer pays on the hosted page and comes back with the id of the session', async () => {
    const { gateway, purchase } = await start()
    const { sessionId, checkoutUrl } = await gateway.createSession(purchase)
    const location = await payOnHostedPage(checkoutUrl)
    expect(location).toBe(`${PUBLIC_URL}/payment/success?session_id=${sessionId}`)
    expect(await gateway.readSession(sessionId)).toMatchObject({ outcome: 'paid', url: null })
    expect(await gateway.expireSession(sessionId)).toMatchObject({ outcome: 'paid' })
  })

  test('a webhook is signed in a way that the gateway believes, and only untouched', async () => {
    const { gateway, purchase, deliveries } = await start()
    const { checkoutUrl } = await gateway.createSession(purchase)
    await payOnHostedPage(checkoutUrl)
    const [delivery] = deliveries
    if (!delivery?.signature) throw new Error('no signed webhook came')
    const { payload, signature }: Delivery = { ...delivery, signature: delivery.signature }
    expect(JSON.parse(new TextDecoder().decode(payload)).type).toBe('checkout.session.completed')
    // Without an id it is no event of Stripe's: believed, and of no effect.
    expect(await gateway.verifyEvent({ payload, signature })).toMatchObject({ kind: 'other' })

    const altered = Buffer.concat([payload, Buffer.from(' ')])
    const refused = gateway.verifyEvent({ payload: altered, signature })
    await expect(refused).rejects.toMatchObject({ refusal: 'invalid_signature' })
  })
})
