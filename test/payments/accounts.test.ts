import { describe, expect, test } from 'bun:test'
import type { StripeProduct, StripeTerms } from '../../infrastructure/config/payment-settings.ts'
import { EMAIL } from '../support/http/http-client.ts'
import { type Service, serviceSetup } from '../support/service/real-service.ts'
import { PLAIN_TERMS, PRICE } from '../support/stripe/payment-gateways.ts'
import { stripeSetup } from '../support/stripe/stripe-setup.ts'
import { currencyOptions } from '../support/stripe-double/objects.ts'
import type { Defaults } from '../support/stripe-double/session-order.ts'
import type { StripeDouble } from '../support/stripe-double/stripe-double.ts'

/*
 * Stripe's defaults differ from account to account. Whoever pays what the page asks for gets in on each of them, and
 * the access ends when all of it is sent back, and not before.
 */

type Kind = {
  /** What the account does with a page that says nothing of it. */
  readonly defaults?: Partial<Defaults>
  readonly terms?: Partial<StripeTerms>
  readonly product?: StripeProduct
  readonly price?: Parameters<StripeDouble['addPrice']>[1]
  /** What the buyer is charged. */
  readonly charged: number
}

const AT_STRIPE = { priceId: 'price_1' }
const CODE = 'txcd_10103000'

const KINDS: readonly (readonly [string, Kind])[] = [
  ['a plain account', { charged: 400 }],
  ['Managed Payments for every page', { defaults: { managedPayments: true }, charged: 400 }],
  ['tax on top of every page', { defaults: { automaticTax: true }, charged: 400 }],
  [
    'tax inside every page',
    { defaults: { automaticTax: true, taxBehavior: 'inclusive' }, charged: 400 },
  ],
  [
    'an account that knows none of it',
    {
      defaults: { unknownParameters: ['managed_payments', 'automatic_tax', 'invoice_creation'] },
      charged: 400,
    },
  ],
  ['Managed Payments, as set', { terms: { managedPayments: true, taxCode: CODE }, charged: 400 }],
  ['tax, as set, in our own price', { terms: { tax: true, taxCode: CODE }, charged: 400 }],
  ['invoices, as set', { terms: { invoices: true }, charged: 400 }],
  ['a price of the account', { product: AT_STRIPE, charged: 400 }],
  [
    'a price of the account with tax on top, on an account that taxes every page',
    {
      defaults: { automaticTax: true },
      product: AT_STRIPE,
      price: { tax_behavior: 'exclusive' },
      charged: 400,
    },
  ],
  [
    'tax, as set, on top of a price of the account',
    {
      terms: { tax: true },
      product: AT_STRIPE,
      price: { tax_behavior: 'exclusive' },
      charged: 480,
    },
  ],
  [
    'tax, as set, in a price of the account',
    {
      terms: { tax: true },
      product: AT_STRIPE,
      price: { tax_behavior: 'inclusive' },
      charged: 400,
    },
  ],
  [
    'Managed Payments, as set, on top of a price of the account',
    {
      terms: { managedPayments: true },
      product: AT_STRIPE,
      price: { tax_behavior: 'exclusive' },
      charged: 480,
    },
  ],
  [
    'a price of the account in several currencies',
    {
      product: AT_STRIPE,
      price: { currency_options: currencyOptions({ usd: 500, eur: 400 }) },
      charged: 400,
    },
  ],
]

const startStripe = stripeSetup()
const openService = serviceSetup()

async function open({ defaults, terms, product, price }: Omit<Kind, 'charged'>, options = {}) {
  const { double, clock } = await startStripe()
  Object.assign(double.defaults, defaults)
  double.addPrice({ id: AT_STRIPE.priceId, ...PRICE }, price)
  const own = { terms: { ...PLAIN_TERMS, ...terms }, ...(product ? { product } : {}) }
  const service = await openService({ stripe: double, clock, ...own, ...options })
  await service.verify(EMAIL)
  return { double, service }
}

async function tell(double: StripeDouble, service: Service): Promise<void> {
  for (const event of double.held()) {
    expect((await service.deliver(event)).status).toBe(200)
    double.markDelivered(event)
  }
}

describe.each(KINDS)('%s', (_, { charged, ...kind }) => {
  test('lets in whoever pays, until all of it is sent back', async () => {
    const { double, service } = await open(kind)
    const { status, body } = await service.post('/checkout', { email: EMAIL })
    expect(status).toBe(200)
    const { sessionId } = body as { sessionId: string }

    double.pay(sessionId)
    expect(double.sessions.get(sessionId)?.amount_total).toBe(charged)
    await tell(double, service)
    expect(await service.hasPremium(EMAIL)).toBe(true)

    double.refund(sessionId, { amount: charged - 1 })
    await tell(double, service)
    expect(await service.hasPremium(EMAIL)).toBe(true)
    double.refund(sessionId)
    await tell(double, service)
    expect(await service.hasPremium(EMAIL)).toBe(false)
    expect(service.ports.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('what a page allowed', () => {
  test.each([
    ['promotion codes are switched off', { allowPromotionCodes: false }],
    ['more has to be paid', { amountMin: 350 }],
  ] as const)('counts when %s while it is open', async (_, change) => {
    const { double, service } = await open({}, { allowPromotionCodes: true, amountMin: 200 })
    const { body } = await service.post('/checkout', { email: EMAIL })
    const { sessionId } = body as { sessionId: string }
    Object.assign(service.ports.rules, change)
    double.pay(sessionId, { discount: 100 })
    await tell(double, service)
    expect(await service.hasPremium(EMAIL)).toBe(true)
  })

  test('does not grow when promotion codes are switched on', async () => {
    const { double, service } = await open({})
    const { body } = await service.post('/checkout', { email: EMAIL })
    const { sessionId } = body as { sessionId: string }
    Object.assign(service.ports.rules, { allowPromotionCodes: true })
    double.alterSession(sessionId, {
      amount_total: 300,
      total_details: { amount_discount: 100, amount_shipping: 0, amount_tax: 0 },
    })
    double.pay(sessionId)
    await tell(double, service)
    expect(await service.hasPremium(EMAIL)).toBe(false)
  })

  test('is known of a purchase whose row is lost', async () => {
    const { double, service } = await open({}, { allowPromotionCodes: true, amountMin: 200 })
    const { body } = await service.post('/checkout', { email: EMAIL })
    const { sessionId } = body as { sessionId: string }
    const other = await openService({ stripe: double, clock: service.clock })
    double.pay(sessionId, { discount: 200 })
    await tell(double, other)
    expect(await other.hasPremium(EMAIL)).toBe(true)
  })
})
