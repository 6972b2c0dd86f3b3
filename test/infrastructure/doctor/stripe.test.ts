import { describe, expect, onTestFinished, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '../../../domain/duration.ts'
import type { StripeTerms } from '../../../infrastructure/config/payment-settings.ts'
import { probeStripe } from '../../../infrastructure/doctor/stripe.ts'
import { webhookUrls } from '../../../interfaces/composition/compose-providers.ts'
import { fixedClock } from '../../support/fakes.ts'
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

describe('Stripe', () => {
  async function openDouble(secretKey = 'rk_test_double') {
    const clock = fixedClock()
    const double = await startStripeDouble({ webhookSecret: 'whsec_1', secretKey, clock })
    onTestFinished(() => double.stop())
    const probe = (
      product: Parameters<typeof probeStripe>[0]['product'] = PRODUCT,
      terms: Partial<StripeTerms> = {},
    ) =>
      probeStripe({
        secretKey,
        apiUrl: double.url,
        product,
        terms: { ...PLAIN_TERMS, ...terms },
        webhookUrls: webhookUrls('https://alibi.example'),
        clock,
        timeoutMs: PATIENCE_MS,
      })
    return { double, clock, probe }
  }
  const PRODUCT = { price: { amount: 400, currency: 'eur' }, name: 'Alibi' }

  test('is asked for each permission that a restricted key needs, and told which it lacks', async () => {
    const { double, probe } = await openDouble()
    expect((await probe()).key).toEqual({
      kind: 'answered',
      value: { unreadable: [], unwritable: [] },
    })
    double.fault(FORBIDDEN, { on: 'GET /v1/disputes' })
    double.fault(FORBIDDEN, { on: 'GET /v1/charges' })
    expect((await probe()).key).toEqual({
      kind: 'answered',
      value: { unreadable: ['Charges', 'Disputes'], unwritable: [] },
    })
  })

  test('is asked whether a restricted key may write, by which nothing changes', async () => {
    const { double, probe } = await openDouble()
    double.fault(FORBIDDEN, { on: 'POST /v1/checkout/sessions/:id/expire', times: 2 })
    double.fault(FORBIDDEN, { on: 'POST /v1/checkout/sessions' })
    expect((await probe()).key).toEqual({
      kind: 'answered',
      value: { unreadable: [], unwritable: ['Checkout Sessions'] },
    })
    const written = double.requests.filter(({ method }) => method !== 'GET')
    expect(new Set(written.map(({ path }) => path))).toEqual(
      new Set([
        '/v1/checkout/sessions/cs_of_nobody/expire',
        '/v1/payment_intents/pi_of_nobody/cancel',
        '/v1/refunds/re_of_nobody/cancel',
        '/v1/checkout/sessions',
      ]),
    )
    expect(double.events).toEqual([])
  })

  test.each<[number, object]>([
    [200, {}],
    [200, { object: 'list', data: null }],
    [429, {}],
    [200, { object: 'list', data: [{}], has_more: true }],
  ])('that answers %d with %j tells nothing', async (status, body) => {
    const { key, webhook } = await probeStripe({
      secretKey: 'sk_test_1',
      apiUrl: serve(() => Response.json(body, { status })),
      product: PRODUCT,
      terms: PLAIN_TERMS,
      webhookUrls: webhookUrls('https://alibi.example'),
      clock: fixedClock(),
      timeoutMs: PATIENCE_MS,
    })
    const isList = 'has_more' in body
    expect(key.kind).toBe(isList ? 'answered' : 'unreachable')
    expect(webhook).toMatchObject({
      listed: { kind: 'unreachable' },
      undelivered: isList ? 1 : null,
    })
  })

  test('is asked only once for the rights of a key that has all', async () => {
    const { double, probe } = await openDouble('sk_live_double')
    expect(await probe()).toMatchObject({ isKeyLive: true, price: null })
    expect(double.count('GET /v1/disputes')).toBe(0)
    expect(double.count('GET /v1/checkout/sessions')).toBe(1)
    const written = double.requests.filter(({ method }) => method !== 'GET')
    expect(written.map(({ route }) => route)).toEqual([
      'POST /v1/checkout/sessions',
      'POST /v1/checkout/sessions/:id/expire',
    ])
    const restricted = await openDouble('rk_live_double')
    expect(await restricted.probe()).toMatchObject({ isKeyLive: true })
  })

  test('makes a page that it ends at once, and tells what becomes of a payment', async () => {
    const { double, probe } = await openDouble()
    const page = { refusal: null, isManaged: false, isTaxed: false, hasInvoice: false }
    expect((await probe()).page).toEqual({ kind: 'answered', value: page })
    expect([...double.sessions.values()].map(({ status }) => status)).toEqual(['expired'])
    // What the account does by itself is not what becomes of a page that says that it is off.
    Object.assign(double.defaults, { managedPayments: true, automaticTax: true })
    expect((await probe()).page).toEqual({ kind: 'answered', value: page })

    const terms = { tax: true, invoices: true, taxCode: 'txcd_10103000' }
    expect((await probe(PRODUCT, terms)).page).toEqual({
      kind: 'answered',
      value: { ...page, isTaxed: true, hasInvoice: true },
    })
  })

  test.each([
    [{ price: { amount: 1, currency: 'eur' }, name: 'Alibi' }, 'amount_too_small', 'PREMIUM_PRICE'],
    [{ priceId: 'price_archived' }, '', 'STRIPE_PRICE_ID'],
  ])('tells why it makes no page for %j', async (product, reason, setting) => {
    const { double, probe } = await openDouble()
    double.addPrice({ id: 'price_archived', amount: 400, currency: 'eur' }, { active: false })
    expect((await probe(product)).page).toEqual({
      kind: 'answered',
      value: { refusal: expect.stringContaining(reason), setting },
    })
  })

  test('tells the endpoints, and where and to what they should listen', async () => {
    const { double, probe } = await openDouble()
    const endpoint = { url: 'https://alibi.example/webhook/stripe', enabled_events: ['*'] }
    double.addWebhookEndpoint(endpoint)
    double.addWebhookEndpoint(endpoint, { status: 'disabled', api_version: '2020-08-27' })
    const { listed, wantedUrls, wantedEvents } = (await probe()).webhook
    const shown = { url: endpoint.url, events: ['*'] }
    expect(listed).toEqual({
      kind: 'answered',
      value: [
        { ...shown, isEnabled: false, apiVersion: '2020-08-27' },
        { ...shown, isEnabled: true, apiVersion: null },
      ],
    })
    const urls = ['stripe', 'payment'].map((name) => `https://alibi.example/webhook/${name}`)
    expect(wantedUrls).toEqual(urls)
    expect(wantedEvents).toContain('refund.updated')
    expect(wantedEvents).not.toContain('charge.refund.updated')
  })

  test.each<[Fault, object]>([
    [UNAUTHORIZED, { kind: 'refused', status: 401 }],
    [SERVER_ERROR, { kind: 'unreachable', reason: 'it answers HTTP 500' }],
    ['reset', { kind: 'unreachable', reason: 'no connection, or an answer that makes no sense' }],
  ])('is told apart by how it fails: %j', async (fault, outcome) => {
    const { double, probe } = await openDouble()
    double.fault(fault, { times: 99 })
    const { key, webhook } = await probe()
    expect(key).toEqual(outcome as typeof key)
    expect(webhook.listed).toEqual(outcome as typeof webhook.listed)
  })

  test('tells where it sends thin events, and tells nothing of them to a key that may not ask', async () => {
    const { double, probe } = await openDouble()
    const url = 'https://alibi.example/webhook/stripe'
    double.addWebhookEndpoint({ url, enabled_events: ['*'] })
    expect((await probe()).webhook.thinUrls).toEqual([])
    double.thinDestinations.push(url)
    expect((await probe()).webhook.thinUrls).toEqual([url])
    double.fault(FORBIDDEN, { on: 'GET /v2/core/event_destinations' })
    const { thinUrls, listed } = (await probe()).webhook
    expect([thinUrls, listed.kind]).toEqual([[], 'answered'])
  })

  test('lists the endpoints of more than one page', async () => {
    const { double, probe } = await openDouble()
    for (let index = 0; index < 103; index++) {
      double.addWebhookEndpoint({ url: `https://other.example/${index}`, enabled_events: ['*'] })
    }
    const { listed } = (await probe()).webhook
    expect(listed.kind === 'answered' && listed.value.length).toBe(103)
  })

  test('tells how many notifications of the last day were not taken, but for those under way', async () => {
    const { double, clock, probe } = await openDouble()
    const emit = () => double.emit('refund.created', { id: 're_1', object: 'refund' })
    emit()
    clock.advance(DAY_MS)
    emit()
    double.markDelivered(emit())
    double.emit('customer.created', { id: 'cus_1', object: 'customer' })
    clock.advance(11 * MINUTE_MS)
    emit()
    expect((await probe()).webhook.undelivered).toBe(1)
  })

  test.each<[string, object, object]>([
    [
      'is as it should be',
      {},
      {
        isActive: true,
        isOneTime: true,
        amount: { amount: 400, currency: 'eur' },
        isTaxOnTop: null,
        otherCurrencies: [],
      },
    ],
    [
      'has other currencies',
      { currency_options: currencyOptions({ eur: 400, usd: 500 }) },
      { amount: { amount: 400, currency: 'eur' }, otherCurrencies: ['usd'] },
    ],
    [
      'has its own currency alone',
      { currency_options: currencyOptions({ eur: 400 }) },
      { otherCurrencies: [] },
    ],
    ['is not active', { active: false }, { isActive: false }],
    ['recurs', { type: 'recurring' }, { isOneTime: false }],
    ['has no amount of its own', { unit_amount: null }, { amount: null }],
  ])('tells of a price whether it %s', async (_, change, value) => {
    const { double, probe } = await openDouble()
    double.addPrice({ id: 'price_1', amount: 400, currency: 'eur' }, change)
    const { price } = await probe({ priceId: 'price_1' })
    expect(price).toMatchObject({ id: 'price_1', found: { kind: 'answered', value } })
  })

  test('tells of a price that it does not know it', async () => {
    const { price } = await (await openDouble()).probe({ priceId: 'price_2' })
    expect(price).toEqual({ id: 'price_2', found: { kind: 'answered', value: null } })
  })

  test('is given up in time where it does not answer', async () => {
    const { url: apiUrl, isAsked } = serveSilence()
    const question = {
      secretKey: 'rk_test_1',
      apiUrl,
      product: { priceId: 'price_1' },
      terms: PLAIN_TERMS,
      webhookUrls: webhookUrls('https://alibi.example'),
      clock: fixedClock(),
      timeoutMs: TIMEOUT_MS,
    }
    const unreachable = { kind: 'unreachable', reason: `no answer after ${TIMEOUT_MS} ms` }
    expect(await whenLate(TIMEOUT_MS, () => probeStripe(question), isAsked)).toMatchObject({
      key: unreachable,
      price: { found: unreachable },
      webhook: { listed: unreachable, undelivered: null },
    })
  })
})
