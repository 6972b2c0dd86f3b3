import { describe, expect, test } from 'bun:test'
import type { StripeTerms } from '../../../infrastructure/config/payment-settings.ts'
import { recordingLog } from '../../support/fakes.ts'
import { newPurchase, PLAIN_TERMS, PRICE } from '../../support/stripe/payment-gateways.ts'
import { stripeSetup } from '../../support/stripe/stripe-setup.ts'
import { type Fault, refused, WRONG_MODE } from '../../support/stripe-double/faults.ts'

const start = stripeSetup()
const SESSIONS = 'POST /v1/checkout/sessions'
const SWITCHES = ['managed_payments', 'automatic_tax', 'invoice_creation']

function refusal(param: string | null, code: string | null = null): Fault {
  return refused(400, { type: 'invalid_request_error', message: 'No.', param, code })
}

describe('a parameter that is off, and that the account does not know', () => {
  test('is left out from then on, which is logged once', async () => {
    const log = recordingLog()
    const { double, gateway, clock } = await start({ log })
    double.defaults.unknownParameters = SWITCHES
    await gateway.createSession(newPurchase(clock.now()))
    await gateway.createSession(newPurchase(clock.now()))
    expect(double.sessions.size).toBe(2)
    expect(double.count(SESSIONS)).toBe(SWITCHES.length + 2)
    expect(log.lines.map(({ event, fields }) => [event, fields['parameter']])).toEqual(
      SWITCHES.map((name) => ['checkout.parameter_unknown', name]),
    )
  })

  test('gives one page, however often and by however many processes it is asked for', async () => {
    const { double, gateway, clock } = await start()
    const other = (await start({ apiUrl: double.url })).gateway
    double.defaults.unknownParameters = ['managed_payments']
    const purchase = newPurchase(clock.now())
    const pages = await Promise.all(
      [gateway, other, gateway].map((one) => one.createSession(purchase)),
    )
    expect(new Set(pages.map(({ sessionId }) => sessionId)).size).toBe(1)
  })
})

test.each(['customer_email', 'locale'])(
  'a buyer is not kept out by %s, which Stripe can do without',
  async (name) => {
    const log = recordingLog()
    const { double, gateway, clock } = await start({ log })
    double.fault(refusal(name), { on: SESSIONS })
    await gateway.createSession(newPurchase(clock.now()))
    expect(double.requests.at(-1)?.form).not.toHaveProperty(name)
    // The next buyer's is asked for again.
    await gateway.createSession(newPurchase(clock.now()))
    expect(double.requests.at(-1)?.form).toHaveProperty(name)
    expect(log.lines).toEqual([])
  },
)

test('what is asked for again without a parameter has a key of its own, since Stripe may remember the refusal', async () => {
  const { double, gateway, clock } = await start()
  double.fault(refusal('customer_email'), { on: SESSIONS })
  await gateway.createSession(newPurchase(clock.now()))
  const [first, second] = double.requests.map(({ headers }) => headers['idempotency-key'])
  expect(first).not.toBe(second)
})

const CODE = { taxCode: 'txcd_10103000' }
test.each<[string | null, Partial<StripeTerms>, string]>([
  ['managed_payments', { managedPayments: true, ...CODE }, 'STRIPE_MANAGED_PAYMENTS'],
  [null, { managedPayments: true, ...CODE }, 'STRIPE_MANAGED_PAYMENTS'],
  ['automatic_tax[enabled]', { tax: true, ...CODE }, 'STRIPE_TAX'],
  ['invoice_creation', { invoices: true }, 'STRIPE_INVOICES'],
  ['line_items[0][price_data][product_data][tax_code]', CODE, 'PRODUCT_TAX_CODE'],
  ['currency', {}, 'PREMIUM_CURRENCY'],
  ['adaptive_pricing', {}, 'PREMIUM_PRICE'],
  [null, {}, 'PREMIUM_PRICE'],
])('a refusal of %p with %j is for good, and names %s', async (param, terms, setting) => {
  const { double, gateway, clock } = await start({ terms: { ...PLAIN_TERMS, ...terms } })
  double.fault(refusal(param, 'some_code'), { on: SESSIONS, times: 9 })
  await expect(gateway.createSession(newPurchase(clock.now()))).rejects.toMatchObject({
    answered: true,
    needsOperator: true,
    isPriceUnusable: true,
    setting,
  })
  expect(double.count(SESSIONS)).toBe(1)
})

test('a price at Stripe whose product is archived is for good, and names STRIPE_PRICE_ID', async () => {
  const { double, gateway, clock } = await start({ product: { priceId: 'price_1' } })
  double.addPrice({ id: 'price_1', ...PRICE }, { active: false })
  await expect(gateway.createSession(newPurchase(clock.now()))).rejects.toMatchObject({
    isPriceUnusable: true,
    setting: 'STRIPE_PRICE_ID',
  })
})

test('a key of the other mode is what is refused, and not the price', async () => {
  const { double, gateway, clock } = await start()
  double.fault(WRONG_MODE, { on: SESSIONS })
  await expect(gateway.createSession(newPurchase(clock.now()))).rejects.toMatchObject({
    setting: 'STRIPE_SECRET_KEY',
    isPriceUnusable: false,
  })
})

test('a page that would end too soon by the clock of Stripe may pass by itself', async () => {
  const { double, gateway, clock } = await start()
  double.fault(refusal('expires_at'), { on: SESSIONS })
  await expect(gateway.createSession(newPurchase(clock.now()))).rejects.toMatchObject({
    answered: true,
    needsOperator: false,
  })
})
