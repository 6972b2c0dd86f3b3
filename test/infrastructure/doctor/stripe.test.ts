import { describe, expect, onTestFinished, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '../../../domain/duration.ts'
import type { StripeProduct, StripeTerms } from '../../../infrastructure/config/payment-settings.ts'
import { checkPayments } from '../../../infrastructure/doctor/stripe.ts'
import { ENDPOINT_EVENT_TYPES } from '../../../infrastructure/stripe/events.ts'
import { formatPrice } from '../../../interfaces/cli/payment-words.ts'
import { webhookUrls } from '../../../interfaces/composition/compose-providers.ts'
import { fixedClock } from '../../support/fakes.ts'
import { linesOf } from '../../support/findings.ts'
import { serve, serveSilence } from '../../support/http/probed-servers.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { whenLate } from '../../support/stopped-timers.ts'
import { PLAIN_TERMS } from '../../support/stripe/payment-gateways.ts'
import {
  type Fault,
  FORBIDDEN,
  SERVER_ERROR,
  UNAUTHORIZED,
} from '../../support/stripe-double/faults.ts'
import { currencyOptions } from '../../support/stripe-double/objects.ts'
import { startStripeDouble } from '../../support/stripe-double/stripe-double.ts'

const TIMEOUT_MS = 150
const PRODUCT: StripeProduct = { price: { amount: 400, currency: 'eur' }, name: 'Alibi' }
const URL_HERE = 'https://alibi.example/webhook/stripe'
const OTHER_URL_HERE = 'https://alibi.example/webhook/payment'

function question(secretKey: string, apiUrl: string, own: Own = {}) {
  const { product = PRODUCT, publicUrl = 'https://alibi.example', timeoutMs = PATIENCE_MS } = own
  const terms = { ...PLAIN_TERMS, ...own.terms }
  const payment = { provider: 'stripe' as const, secretKey, apiUrl, product, terms }
  const wanted = publicUrl === null ? [] : webhookUrls(publicUrl)
  const clock = own.clock ?? fixedClock()
  return [
    { ...payment, webhookSecrets: [] },
    { webhookUrls: wanted, clock, timeoutMs, formatPrice },
  ] as const
}
type Own = {
  product?: StripeProduct
  terms?: Partial<StripeTerms>
  publicUrl?: string | null
  timeoutMs?: number
  clock?: ReturnType<typeof fixedClock>
}

async function openDouble(secretKey = 'rk_test_double') {
  const clock = fixedClock()
  const double = await startStripeDouble({ webhookSecret: 'whsec_1', secretKey, clock })
  onTestFinished(() => double.stop())
  const findings = (own: Own = {}) =>
    checkPayments(...question(secretKey, double.url, { clock, ...own }))
  /** The lines on one subject. */
  const on = async (name: string, own: Own = {}) =>
    linesOf(await findings(own)).filter((line) => line.includes(` ${name}: `))
  const endpoint = (own: object = {}, url = URL_HERE) =>
    double.addWebhookEndpoint({ url, enabled_events: [...ENDPOINT_EVENT_TYPES] }, own)
  return { double, clock, findings, on, endpoint }
}

test('the sandbox needs no provider', async () => {
  const [, around] = question('', '')
  const sandbox = { provider: 'sandbox', price: PRODUCT.price, productName: '' } as const
  expect(linesOf(await checkPayments(sandbox, around))).toEqual([
    expect.stringMatching(/^ok stripe: .+sandbox/),
  ])
})

describe('the check of the key', () => {
  test('asks for each permission that a restricted key needs, changes nothing, and names what it lacks', async () => {
    const { double, on } = await openDouble()
    expect(await on('stripe')).toEqual(['ok stripe: the key works, in test mode'])
    const written = double.requests.filter(({ method }) => method !== 'GET')
    expect(new Set(written.map(({ path }) => path.replace(/cs_test_\w+/, 'ID')))).toEqual(
      new Set([
        '/v1/checkout/sessions/cs_of_nobody/expire',
        '/v1/payment_intents/pi_of_nobody/cancel',
        '/v1/refunds/re_of_nobody/cancel',
        '/v1/checkout/sessions',
        '/v1/checkout/sessions/ID/expire',
      ]),
    )
    expect(double.events.map(({ type }) => type)).toEqual(['checkout.session.expired'])

    double.fault(FORBIDDEN, { on: 'GET /v1/disputes' })
    double.fault(FORBIDDEN, { on: 'GET /v1/charges' })
    double.fault(FORBIDDEN, { on: 'POST /v1/checkout/sessions/:id/expire', times: 2 })
    expect(await on('stripe')).toEqual([
      'failed stripe: the key works, in test mode, but may not read Charges, Disputes, and may not write Checkout Sessions',
    ])
  })

  test('asks only once for the rights of a key that has all', async () => {
    const { double, on } = await openDouble('sk_live_double')
    expect(await on('stripe')).toEqual(['ok stripe: the key works, in live mode'])
    expect(double.count('GET /v1/disputes')).toBe(0)
    expect(double.count('GET /v1/checkout/sessions')).toBe(1)
    const written = double.requests.filter(({ method }) => method !== 'GET')
    expect(written.map(({ route }) => route)).toEqual([
      'POST /v1/checkout/sessions',
      'POST /v1/checkout/sessions/:id/expire',
    ])
    expect(await (await openDouble('rk_live_double')).on('stripe')).toEqual([
      'ok stripe: the key works, in live mode',
    ])
  })

  const OTHERS = ['price', 'checkout', 'webhook'].map(
    (name) => `skipped ${name}: Stripe told nothing`,
  )

  test.each<[Fault, string]>([
    [UNAUTHORIZED, 'Stripe refuses STRIPE_SECRET_KEY (HTTP 401)'],
    [SERVER_ERROR, 'Stripe cannot be asked: it answers HTTP 500'],
    ['reset', 'Stripe cannot be asked: no connection, or an answer that makes no sense'],
  ])('fails where Stripe does: %j', async (fault, text) => {
    const { double, findings } = await openDouble()
    double.fault(fault, { times: 99 })
    expect(linesOf(await findings())).toEqual([`failed stripe: ${text}`, ...OTHERS])
  })

  test.each<[number, object]>([
    [200, {}],
    [200, { object: 'list', data: null }],
    [429, {}],
  ])('fails where the answer is %d with %j', async (status, body) => {
    const url = serve(() => Response.json(body, { status }))
    expect(linesOf(await checkPayments(...question('sk_test_1', url)))).toEqual([
      expect.stringMatching(/^failed stripe: Stripe cannot be asked: /),
      ...OTHERS,
    ])
  })

  test('gives up in time where Stripe does not answer', async () => {
    const { url, isAsked } = serveSilence()
    const asked = question('rk_test_1', url, { timeoutMs: TIMEOUT_MS })
    const findings = await whenLate(TIMEOUT_MS, () => checkPayments(...asked), isAsked)
    expect(linesOf(findings)).toEqual([
      `failed stripe: Stripe cannot be asked: no answer after ${TIMEOUT_MS} ms`,
      ...OTHERS,
    ])
  })
})

describe('the check of the price', () => {
  const PRICE = { id: 'price_1', amount: 400, currency: 'eur' }
  const kept = { product: { priceId: 'price_1' } }

  test.each<[string, object, string]>([
    ['as it should be', {}, 'ok price: 4.00 EUR, price_1'],
    [
      'of other currencies',
      { currency_options: currencyOptions({ eur: 400, usd: 500, gbp: 300 }) },
      'warning price: price_1 has prices in other currencies (USD, GBP): all buyers are asked for 4.00 EUR',
    ],
    [
      'of its own currency alone',
      { currency_options: currencyOptions({ eur: 400 }) },
      'ok price: 4.00 EUR, price_1',
    ],
    ['that is not active', { active: false }, 'failed price: price_1 is not active'],
    ['that recurs', { type: 'recurring' }, 'failed price: price_1 is paid again and again'],
    ['without an amount', { unit_amount: null }, 'failed price: price_1 has no amount of its own'],
  ])('tells of one %s', async (_, change, line) => {
    const { double, on } = await openDouble()
    double.addPrice(PRICE, change)
    expect(await on('price', kept)).toEqual([line])
  })

  test('fails where Stripe knows none, or the key may not read it', async () => {
    const { double, findings, on } = await openDouble()
    expect(linesOf(await findings(kept)).slice(1, 3)).toEqual([
      'failed price: Stripe knows no price_1 in the mode of the key',
      'skipped checkout: no page without a price',
    ])
    double.fault(FORBIDDEN, { on: 'GET /v1/prices/:id' })
    expect(await on('price', kept)).toEqual(['failed price: the key may not read price_1'])
  })

  test('needs no question where it is made at the checkout', async () => {
    expect(await (await openDouble()).on('price')).toEqual([
      'ok price: made at the checkout, from PREMIUM_PRICE and PREMIUM_CURRENCY',
    ])
  })
})

describe('the check of the payment page', () => {
  const PLAIN = 'you are the seller, no tax is computed, no invoice'

  test('makes one that it ends at once, and tells what becomes of a payment', async () => {
    const { double, on } = await openDouble()
    expect(await on('checkout')).toEqual([`ok checkout: Stripe makes a payment page: ${PLAIN}`])
    expect([...double.sessions.values()].map(({ status }) => status)).toEqual(['expired'])
    // What the account does by itself is not what becomes of a page that says that it is off.
    Object.assign(double.defaults, { managedPayments: true, automaticTax: true })
    expect(await on('checkout')).toEqual([`ok checkout: Stripe makes a payment page: ${PLAIN}`])
    const terms = { tax: true, invoices: true, taxCode: 'txcd_10103000' }
    expect(await on('checkout', { terms })).toEqual([
      'ok checkout: Stripe makes a payment page: you are the seller, tax is computed, in the price, an invoice for each payment',
    ])
  })

  test.each([
    ['exclusive', 'on top'],
    ['inclusive', 'in the price'],
    ['unspecified', 'as the account has it'],
  ])('says of tax on a price that is %s that it is computed %s', async (behavior, place) => {
    const { double, on } = await openDouble()
    const price = { id: 'price_1', amount: 400, currency: 'eur' }
    double.addPrice(price, { tax_behavior: behavior as 'exclusive' })
    const own = { product: { priceId: 'price_1' }, terms: { tax: true } }
    expect((await on('checkout', own))[0]).toContain(`tax is computed, ${place}, no invoice`)
  })

  test.each<[StripeProduct, string, string]>([
    [
      { price: { amount: 1, currency: 'eur' }, name: 'Alibi' },
      'amount_too_small',
      'mend PREMIUM_PRICE',
    ],
    [{ priceId: 'price_archived' }, '', 'mend STRIPE_PRICE_ID'],
  ])('names the setting for which Stripe makes none: %j', async (product, reason, advice) => {
    const { double, findings } = await openDouble()
    double.addPrice({ id: 'price_archived', amount: 400, currency: 'eur' }, { active: false })
    expect((await findings({ product }))[2]).toMatchObject({
      name: 'checkout',
      level: 'failed',
      text: expect.stringContaining(reason),
      advice,
    })
  })

  test('is left out where the key may make none', async () => {
    const { double, on } = await openDouble()
    double.fault(FORBIDDEN, { on: 'POST /v1/checkout/sessions' })
    expect(await on('checkout')).toEqual(['skipped checkout: the key may not make a payment page'])
  })
})

describe('the check of the webhook', () => {
  const well = (url = URL_HERE) => [
    `ok webhook: ${url} is enabled, and listens to all that is needed`,
  ]

  test.each<[string, object, string]>([
    ['that listens to what is needed', {}, URL_HERE],
    ['that listens to everything', { enabled_events: ['*'] }, URL_HERE],
    ['at the other address', {}, OTHER_URL_HERE],
    ['written in another way', {}, 'https://ALIBI.example:443/webhook/stripe?key=secret#x'],
  ])('is content with an endpoint %s, and with those of others', async (_, own, url) => {
    const { on, endpoint } = await openDouble()
    endpoint({ status: 'disabled', enabled_events: [] }, 'https://other.example/hook')
    endpoint(own, url)
    expect(await on('webhook')).toEqual(well(url === OTHER_URL_HERE ? url : URL_HERE))
  })

  test.each<[string, object, RegExp]>([
    ['is disabled', { status: 'disabled' }, /^failed webhook: .+\/stripe is disabled$/],
    [
      'lacks events',
      { enabled_events: ENDPOINT_EVENT_TYPES.slice(2) },
      /^failed webhook: .+ does not listen to [\w.]+, [\w.]+$/,
    ],
    [
      'speaks another version',
      { api_version: '2020-08-27' },
      /^warning webhook: .+ speaks API version 2020-08-27, and Alibi reads /,
    ],
  ])('tells of an endpoint that %s', async (_, own, line) => {
    const { on, endpoint } = await openDouble()
    endpoint(own)
    expect(await on('webhook')).toEqual([expect.stringMatching(line)])
  })

  test('warns of two endpoints that lead here, which may share the events', async () => {
    const { on, endpoint } = await openDouble()
    endpoint({ enabled_events: ENDPOINT_EVENT_TYPES.slice(2) })
    endpoint({ enabled_events: ENDPOINT_EVENT_TYPES.slice(0, 2) }, OTHER_URL_HERE)
    expect(await on('webhook')).toEqual([
      expect.stringMatching(/^warning webhook: 2 endpoints lead here/),
      expect.stringMatching(/^ok webhook: /),
    ])
  })

  test('names those that are there where none leads here, without what may be a key', async () => {
    const { findings, on, endpoint } = await openDouble()
    expect((await on('webhook'))[0]).toContain('there is none')
    endpoint({}, `${URL_HERE}/`)
    endpoint({}, 'https://user:pass@other.example/hook?token=secret#x')
    const webhook = (await findings()).at(-1)
    expect(webhook).toMatchObject({ name: 'webhook', level: 'failed' })
    expect(webhook?.text).toContain(`no endpoint for ${URL_HERE}: there are `)
    expect(webhook?.text).toContain('https://other.example/hook')
    expect(webhook?.text).not.toMatch(/pass|secret/)
    expect(webhook?.advice).toContain('refund.updated')
    expect(webhook?.advice).not.toContain('charge.refund.updated')
  })

  test('sees the endpoints of more than one page', async () => {
    const { on, endpoint } = await openDouble()
    endpoint()
    for (let index = 0; index < 103; index++) endpoint({}, `https://other.example/${index}`)
    expect(await on('webhook')).toEqual(well())
  })

  test('warns of an address that Stripe cannot reach, with the command that forwards to it', async () => {
    const { findings } = await openDouble()
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000']) {
      expect((await findings({ publicUrl: `http://${host}` })).at(-1)).toMatchObject({
        level: 'warning',
        advice: expect.stringContaining(`stripe listen --forward-to http://${host}/webhook`),
      })
    }
  })

  test('misses no endpoint while it is not known where the service is', async () => {
    expect(await (await openDouble()).on('webhook', { publicUrl: null })).toEqual([
      'skipped webhook: PUBLIC_URL has to be right first',
    ])
  })

  test('warns where the key may not read them, and fails where the list does not come', async () => {
    const { double, on } = await openDouble()
    double.fault(FORBIDDEN, { on: 'GET /v1/webhook_endpoints' })
    expect(await on('webhook')).toEqual([
      expect.stringMatching(/^warning webhook: the key may not read webhook endpoints/),
    ])
    double.fault(SERVER_ERROR, { on: 'GET /v1/webhook_endpoints', times: 9 })
    expect(await on('webhook')).toEqual([
      'failed webhook: the endpoints cannot be listed: it answers HTTP 500',
    ])
  })

  test('warns of one of the style "thin", and is silent where the key may not ask', async () => {
    const { double, on, endpoint } = await openDouble()
    endpoint()
    double.thinDestinations.push(`${URL_HERE}?key=secret`, 'https://other.example/hook')
    expect(await on('webhook')).toEqual([
      `warning webhook: ${URL_HERE} gets events of the style "thin", which do not say what has happened`,
      ...well(),
    ])
    double.fault(FORBIDDEN, { on: 'GET /v2/core/event_destinations' })
    expect(await on('webhook')).toEqual(well())
  })

  test('warns of notifications of the last day that were not taken, but for those under way', async () => {
    const { double, clock, findings, endpoint } = await openDouble()
    endpoint()
    const emit = () => double.emit('refund.created', { id: 're_1', object: 'refund' })
    emit()
    clock.advance(DAY_MS)
    emit()
    double.markDelivered(emit())
    double.emit('customer.created', { id: 'cus_1', object: 'customer' })
    clock.advance(11 * MINUTE_MS)
    emit()
    expect((await findings()).at(-1)).toMatchObject({
      level: 'warning',
      text: '1 notifications of the last 24 hours did not reach every endpoint',
      advice: expect.stringContaining('STRIPE_WEBHOOK_SECRET'),
    })
  })
})
