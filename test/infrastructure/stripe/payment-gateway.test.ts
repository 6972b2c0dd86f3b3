import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { newPurchase, PRICE, SEALS } from '../../support/stripe/payment-gateways.ts'
import { stripeSetup } from '../../support/stripe/stripe-setup.ts'
import { currencyOptions } from '../../support/stripe-double/objects.ts'
import type { StripeDouble } from '../../support/stripe-double/stripe-double.ts'

const start = stripeSetup()

function lastRequest(double: StripeDouble) {
  const request = double.requests.at(-1)
  if (!request) throw new Error('nobody asked')
  return request
}

describe('a session', () => {
  test('is asked for with exactly what a single payment needs, and nothing else', async () => {
    const { double, gateway, clock } = await start()
    const purchase = newPurchase(clock.now())
    await gateway.createSession(purchase)
    expect(lastRequest(double).form).toEqual({
      mode: 'payment',
      currency: 'eur',
      line_items: {
        0: {
          quantity: '1',
          price_data: {
            currency: 'eur',
            unit_amount: '400',
            tax_behavior: 'inclusive',
            product_data: { name: 'Alibi Premium' },
          },
        },
      },
      customer_email: purchase.email,
      locale: 'en',
      client_reference_id: purchase.id,
      metadata: {
        purchase_id: purchase.id,
        email: purchase.email,
        language: 'en',
        amount: '400',
        currency: 'eur',
        seal: SEALS.sealOf(purchase),
      },
      payment_intent_data: { metadata: { purchase_id: purchase.id } },
      expires_at: String(purchase.expiresAt.getTime() / 1000),
      success_url: 'https://alibi.example/payment/success?session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://alibi.example/payment/cancel',
      adaptive_pricing: { enabled: 'false' },
      managed_payments: { enabled: 'false' },
      automatic_tax: { enabled: 'false' },
      invoice_creation: { enabled: 'false' },
    })
  })

  test('is asked for under the purchase id as idempotency key', async () => {
    const { double, gateway, clock } = await start()
    const purchase = newPurchase(clock.now())
    await gateway.createSession(purchase)
    await gateway.createSession(purchase)
    const keys = double.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([purchase.id, purchase.id])
    expect(double.sessions.size).toBe(1)
  })

  test('is asked for at the API version of the SDK', async () => {
    const { double, gateway, clock } = await start()
    await gateway.createSession(newPurchase(clock.now()))
    expect(lastRequest(double).headers['stripe-version']).toBe('2026-10-28.endive')
  })

  test('takes promotion codes where less than the price is enough', async () => {
    const { double, gateway, clock } = await start()
    for (const [leastAmount, allowed] of [
      [250, 'true'],
      [PRICE.amount, undefined],
      [null, undefined],
    ] as const) {
      await gateway.createSession(newPurchase(clock.now(), { leastAmount }))
      expect(lastRequest(double).form['allow_promotion_codes']).toBe(allowed)
    }
  })

  test('is sold at the price kept at Stripe where one is named', async () => {
    const { double, gateway, clock } = await start({ product: { priceId: 'price_1' } })
    double.addPrice({ id: 'price_1', ...PRICE })
    await gateway.createSession(newPurchase(clock.now()))
    expect(lastRequest(double).form['line_items']).toEqual({
      0: { quantity: '1', price: 'price_1' },
    })
  })

  test('paid with a voucher for everything is paid, and no payment is named', async () => {
    const { double, gateway, clock } = await start()
    const { sessionId } = await gateway.createSession(newPurchase(clock.now(), { leastAmount: 0 }))
    double.pay(sessionId, { discount: 400 })
    expect(await gateway.readSession(sessionId)).toMatchObject({
      outcome: 'paid',
      amountSubtotal: 400,
      amountTotal: 0,
      paymentIntentId: null,
    })
  })

  test('paid with a voucher for a part shows both amounts', async () => {
    const { double, gateway, clock } = await start()
    const { sessionId } = await gateway.createSession(newPurchase(clock.now(), { leastAmount: 0 }))
    double.pay(sessionId, { discount: 150 })
    expect(await gateway.readSession(sessionId)).toMatchObject({
      outcome: 'paid',
      amountSubtotal: 400,
      amountTotal: 250,
      amountDiscount: 150,
    })
  })

  test.each([
    [{ client_reference_id: null }, { purchaseId: null }],
    [{ client_reference_id: 'pur_other' }, { purchaseId: null }],
    [{ metadata: {} }, { purchaseId: null }],
    [{ metadata: null }, { purchaseId: null }],
    [
      { amount_total: 399, currency: 'usd' },
      { amountTotal: 399, currency: 'usd' },
    ],
    [{ livemode: true }, { live: true }],
    [{ mode: 'setup', amount_total: null, currency: null }, { singlePayment: false }],
    [{ mode: 'subscription' }, { singlePayment: false }],
  ] as const)('that says %j is reported as it is', async (change, expected) => {
    const { double, gateway, clock } = await start()
    const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
    double.alterSession(sessionId, change)
    expect(await gateway.readSession(sessionId)).toMatchObject(expected)
  })

  test.each(['canceled', 'requires_payment_method'] as const)(
    'that is complete but unpaid has failed when its payment is %s',
    async (status) => {
      const { double, gateway, clock } = await start()
      const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
      double.payLate(sessionId)
      double.alterIntent(sessionId, { status })
      expect(await gateway.readSession(sessionId)).toMatchObject({ outcome: 'failed', url: null })
      const page = await gateway.findCompletedSessions({ since: clock.now(), cursor: null })
      expect(page.items).toMatchObject([{ sessionId, outcome: 'failed' }])
    },
  )

  test('that ran out of time has expired, and has not failed', async () => {
    const { gateway, clock } = await start()
    const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
    clock.advance(33 * MINUTE_MS)
    expect(await gateway.readSession(sessionId)).toMatchObject({ outcome: 'expired' })
  })

  test.each([
    ['processing', 'processing'],
    ['requires_action', 'unpaid'],
  ])('that is complete, with a payment that is %s, is %s', async (status, outcome) => {
    const { double, gateway, clock } = await start()
    const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
    double.payLate(sessionId)
    double.alterIntent(sessionId, { status })
    expect(await gateway.readSession(sessionId)).toMatchObject({ outcome })
  })

  test('named in a way that no session is named is not asked for', async () => {
    const { double, gateway } = await start()
    expect(await gateway.readSession('../refunds')).toBeNull()
    expect(await gateway.expireSession('cs_test_1/expire')).toBeNull()
    expect(double.count()).toBe(0)
  })
})

test('is asked for in the currency of its price, whatever other currencies that one has', async () => {
  const { double, gateway, clock } = await start({ product: { priceId: 'price_1' } })
  const currency_options = currencyOptions({ usd: 500, eur: 400 })
  double.addPrice({ id: 'price_1', ...PRICE }, { currency_options })
  expect(await gateway.price()).toEqual(PRICE)
  const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
  expect(await gateway.readSession(sessionId)).toMatchObject({
    currency: 'eur',
    amountSubtotal: 400,
    amountTotal: 400,
  })
})

describe('the price', () => {
  const product = { priceId: 'price_1' }

  test('given in the settings is known without asking', async () => {
    const { double, gateway } = await start()
    expect(await gateway.price()).toEqual(PRICE)
    expect(double.count()).toBe(0)
  })

  test('kept at Stripe is read once for all who ask, also at the same time', async () => {
    const { double, gateway } = await start({ product })
    double.addPrice({ id: 'price_1', amount: 750, currency: 'gbp' })
    const asked = await Promise.all([gateway.price(), gateway.price(), gateway.price()])
    for (const price of [...asked, await gateway.price()]) {
      expect(price).toEqual({ amount: 750, currency: 'gbp' })
    }
    expect(double.count('GET /v1/prices/:id')).toBe(1)
  })

  test('is asked for again after a failure', async () => {
    const { double, gateway } = await start({ product })
    await expect(gateway.price()).rejects.toMatchObject({ outage: 'payment' })
    double.addPrice({ id: 'price_1', ...PRICE })
    expect(await gateway.price()).toEqual(PRICE)
  })

  test.each([
    [{ active: false }, 'not active'],
    [{ type: 'recurring' as const }, 'not a one-time price'],
    [{ unit_amount: null }, 'no amount of its own'],
    [{ unit_amount: 0 }, 'no amount of its own'],
  ])('that says %j cannot be sold, and the cause says why', async (change, words) => {
    const { double, gateway } = await start({ product })
    double.addPrice({ id: 'price_1', ...PRICE }, change)
    const error = await gateway.price().catch((thrown) => thrown)
    expect(error).toMatchObject({ outage: 'payment', needsOperator: true, isPriceUnusable: true })
    expect(error.cause.message).toContain(words)
    expect(error.cause.message).toContain('price_1')
  })

  test('that Stripe does not know needs an operator, and an outage does not', async () => {
    const { double, gateway } = await start({ product })
    const unknown = await gateway.price().catch((thrown) => thrown)
    expect(unknown).toMatchObject({ needsOperator: true, isPriceUnusable: true })
    expect(unknown.cause.message).toBe('Stripe knows no price price_1')
    double.fault('reset', { on: 'GET /v1/prices/:id', times: Infinity })
    const outage = await gateway.price().catch((thrown) => thrown)
    expect(outage).toMatchObject({ needsOperator: false, isPriceUnusable: false })
  })
})

test.each([
  ['sk_test_1', false],
  ['rk_test_1', false],
  ['sk_live_1', true],
  ['rk_live_1', true],
])('a gateway with the key %s is live: %p', async (secretKey, live) => {
  const { gateway } = await start({ secretKey })
  expect(gateway.live).toBe(live)
})

test('a live key makes live sessions', async () => {
  const { gateway, clock } = await start({ secretKey: 'rk_live_1' })
  const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
  expect(await gateway.readSession(sessionId)).toMatchObject({ live: true, outcome: 'open' })
})
