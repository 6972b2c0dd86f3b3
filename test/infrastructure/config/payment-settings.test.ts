import { describe, expect, test } from 'bun:test'
import { blamed, development, problemsOf, production } from '../../support/config-loading.ts'

describe('what is sold', () => {
  test('a price at Stripe and a price of our own exclude each other', () => {
    const both = { STRIPE_PRICE_ID: 'price_1', PREMIUM_PRICE: '500', PREMIUM_NAME: 'Gold' }
    expect(blamed(() => production(both))).toEqual(['PREMIUM_PRICE', 'PREMIUM_NAME'])
    expect(production({ STRIPE_PRICE_ID: 'price_1' }).payment).toMatchObject({
      product: { priceId: 'price_1' },
    })
  })

  test.each([
    ['isk', '450'],
    ['ugx', '505'],
    ['kwd', '1005'],
    ['kwd', '4005'],
    ['eur', '0'],
    ['eur', '1'],
    ['gbp', '29'],
    ['huf', '1'],
    ['jpy', '49'],
  ])('a price that Stripe never takes is refused: %s %s', (currency, price) => {
    const env = { PREMIUM_CURRENCY: currency, PREMIUM_PRICE: price }
    expect(blamed(() => production(env))).toEqual(['PREMIUM_PRICE'])
    expect(blamed(() => development(env))).toEqual(['PREMIUM_PRICE'])
  })

  test.each([
    ['isk', '45000'],
    ['kwd', '1010'],
    ['eur', '50'],
    ['huf', '17500'],
    ['JPY', '50'],
    ['xof', '1000'],
  ])('a price that Stripe takes is taken: %s %s', (currency, price) => {
    const env = { PREMIUM_CURRENCY: currency, PREMIUM_PRICE: price }
    expect(production(env).payment).toMatchObject({
      product: { price: { amount: Number(price), currency: currency.toLowerCase() } },
    })
  })

  test('a currency in which the default price is too little needs a price', () => {
    expect(problemsOf(() => production({ PREMIUM_CURRENCY: 'huf' }))).toEqual([
      expect.stringMatching(/^PREMIUM_PRICE is required: .* 17500 /),
    ])
    expect(blamed(() => production({ PREMIUM_CURRENCY: 'jpy' }))).toEqual([])
  })

  test('the sandbox cannot sell a price that is kept at Stripe', () => {
    expect(blamed(() => development({ STRIPE_PRICE_ID: 'price_1' }))).toEqual(['STRIPE_PRICE_ID'])
  })

  test('a Stripe key switches development to Stripe, and PAYMENT_PROVIDER overrules it', () => {
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }
    expect(development(stripe).payment.provider).toBe('stripe')
    expect(development({ ...stripe, PAYMENT_PROVIDER: 'sandbox' }).payment.provider).toBe('sandbox')
    expect(blamed(() => development({ PAYMENT_PROVIDER: 'stripe' }))).toEqual([
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
    ])
  })

  test('the least that a promotion code may leave is no more than the price, where that is known', () => {
    const blame = { PREMIUM_PRICE: '500', PREMIUM_MIN_AMOUNT: '501' }
    expect(blamed(() => production(blame))).toEqual(['PREMIUM_MIN_AMOUNT'])
    expect(blamed(() => development({ PREMIUM_MIN_AMOUNT: '401' }))).toEqual(['PREMIUM_MIN_AMOUNT'])
    expect(production({ PREMIUM_PRICE: '500', PREMIUM_MIN_AMOUNT: '500' }).amountMin).toBe(500)
    const atStripe = { STRIPE_PRICE_ID: 'price_1', PREMIUM_MIN_AMOUNT: '99999999' }
    expect(production(atStripe).amountMin).toBe(99_999_999)
    expect(production({}).amountMin).toBe(0)
  })

  test('what Stripe is to do beside taking the money is said, and is off unless it is set', () => {
    const off = { managedPayments: false, tax: false, invoices: false, taxCode: null }
    const termsOf = (env: Record<string, string>) => {
      const { payment } = production(env)
      return payment.provider === 'stripe' ? payment.terms : null
    }
    expect(termsOf({})).toEqual(off)
    const code = { PRODUCT_TAX_CODE: 'txcd_10103000' }
    const taxCode = code.PRODUCT_TAX_CODE
    expect(termsOf({ STRIPE_MANAGED_PAYMENTS: 'on', ...code })).toEqual({
      ...off,
      managedPayments: true,
      taxCode,
    })
    expect(termsOf({ STRIPE_TAX: 'on', STRIPE_INVOICES: 'on', ...code })).toEqual({
      ...off,
      tax: true,
      invoices: true,
      taxCode,
    })
    expect(termsOf({ STRIPE_TAX: 'on', STRIPE_PRICE_ID: 'price_1' })).toEqual({ ...off, tax: true })
  })

  test.each<[Record<string, string>, string]>([
    [
      { STRIPE_MANAGED_PAYMENTS: 'on', STRIPE_TAX: 'on', PRODUCT_TAX_CODE: 'txcd_10103000' },
      'STRIPE_MANAGED_PAYMENTS',
    ],
    [{ STRIPE_MANAGED_PAYMENTS: 'on' }, 'PRODUCT_TAX_CODE'],
    [{ STRIPE_TAX: 'on' }, 'PRODUCT_TAX_CODE'],
    [{ PRODUCT_TAX_CODE: 'txcd_1' }, 'PRODUCT_TAX_CODE'],
    [{ PRODUCT_TAX_CODE: 'txcd_10103000', STRIPE_PRICE_ID: 'price_1' }, 'PRODUCT_TAX_CODE'],
    [{ STRIPE_INVOICES: 'yes' }, 'STRIPE_INVOICES'],
  ])('%j are no terms to sell on', (env, name) => {
    expect(blamed(() => production(env))).toEqual([name])
  })

  test('a live key is sent only to Stripe', () => {
    const url = 'http://127.0.0.1:4009'
    expect(blamed(() => production({ STRIPE_API_URL: url }))).toEqual(['STRIPE_API_URL'])
    for (const key of ['sk_live_1', 'rk_live_1']) {
      const env = { STRIPE_SECRET_KEY: key, STRIPE_API_URL: 'https://api.stripe.com.example' }
      expect(blamed(() => production(env))).toEqual(['STRIPE_API_URL'])
    }
    const stripeItself = production({ STRIPE_API_URL: 'https://api.stripe.com/' })
    expect(stripeItself.payment).toMatchObject({ apiUrl: 'https://api.stripe.com' })
    const test = production({ STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_API_URL: url })
    expect(test.payment).toMatchObject({ apiUrl: url })
  })

  test('Stripe is reached by http on loopback only', () => {
    const env = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_API_URL: 'http://10.0.0.5:4009' }
    expect(blamed(() => production(env))).toEqual(['STRIPE_API_URL'])
  })
})
