import { expect, test } from 'bun:test'
import {
  checkStripe,
  type PriceFacts,
  type StripeFacts,
} from '../../../application/doctor/stripe.ts'

const ENDPOINT = {
  url: 'https://alibi.example/webhook/stripe',
  isEnabled: true,
  events: ['*'],
  apiVersion: null,
}
const PAGE = { refusal: null, isManaged: false, isTaxed: false, hasInvoice: false } as const
const WELL: StripeFacts = {
  isKeyLive: true,
  key: { kind: 'answered', value: { unreadable: [], unwritable: [] } },
  price: null,
  page: { kind: 'answered', value: PAGE },
  webhook: {
    listed: { kind: 'answered', value: [ENDPOINT] },
    wantedUrls: [ENDPOINT.url],
    wantedEvents: ['refund.created'],
    apiVersion: '2026-10-28.endive',
    thinUrls: [],
    undelivered: 0,
  },
}
const PRICE: PriceFacts = {
  isActive: true,
  isOneTime: true,
  amount: { amount: 400, currency: 'eur' },
  isTaxOnTop: null,
  otherCurrencies: [],
}

const check = (own: Partial<StripeFacts> | null = {}) =>
  checkStripe(own && { ...WELL, ...own }, {
    formatPrice: ({ amount, currency }) => `${amount} ${currency}`,
  })
const told = (own: Partial<StripeFacts> | null) =>
  check(own).map(({ name, level, text }) => [name, level, text])
const pricing = (found: NonNullable<StripeFacts['price']>['found']) =>
  check({ price: { id: 'price_1', found } })[1]

test('a key, a price, a page and a webhook that are well are four lines', () => {
  expect(told({})).toEqual([
    ['stripe', 'ok', 'the key works, in live mode'],
    ['price', 'ok', 'made at the checkout, from PREMIUM_PRICE and PREMIUM_CURRENCY'],
    [
      'checkout',
      'ok',
      'Stripe makes a payment page: you are the seller, no tax is computed, no invoice',
    ],
    ['webhook', 'ok', expect.stringContaining(ENDPOINT.url)],
  ])
  expect(told({ isKeyLive: false })[0]).toEqual(['stripe', 'ok', 'the key works, in test mode'])
})

test('the sandbox needs no provider', () => {
  expect(told(null)).toMatchObject([['stripe', 'ok', expect.stringContaining('sandbox')]])
})

test.each<[StripeFacts['key'], string]>([
  [{ kind: 'refused', status: 401 }, 'refuses STRIPE_SECRET_KEY (HTTP 401)'],
  [{ kind: 'unreachable', reason: 'no answer after 8000 ms' }, 'no answer after 8000 ms'],
])('a key of which %j fails, and of the rest nothing is told', (key, text) => {
  expect(told({ key })).toMatchObject([
    ['stripe', 'failed', expect.stringContaining(text)],
    ['price', 'skipped', 'Stripe told nothing'],
    ['checkout', 'skipped', 'Stripe told nothing'],
    ['webhook', 'skipped', 'Stripe told nothing'],
  ])
})

test('a restricted key that lacks permissions fails with their names', () => {
  const [finding] = check({
    key: {
      kind: 'answered',
      value: { unreadable: ['Events', 'Refunds'], unwritable: ['Checkout Sessions'] },
    },
  })
  expect(finding).toMatchObject({ level: 'failed' })
  expect(finding?.text).toEndWith(
    'may not read Events, Refunds, and may not write Checkout Sessions',
  )
  const [other] = check({
    key: { kind: 'answered', value: { unreadable: [], unwritable: ['Refunds'] } },
  })
  expect(other).toMatchObject({ level: 'failed' })
  expect(other?.text).toEndWith('but may not write Refunds')
})

test.each<[StripeFacts['page'], string, string]>([
  [null, 'skipped', 'no page without a price'],
  [{ kind: 'refused', status: 403 }, 'skipped', 'the key may not make a payment page'],
  [{ kind: 'unreachable', reason: 'HTTP 500' }, 'failed', 'HTTP 500'],
  [
    { kind: 'answered', value: { refusal: 'Stripe refuses it', setting: 'PREMIUM_PRICE' } },
    'failed',
    'Stripe refuses it',
  ],
  [
    { kind: 'answered', value: { ...PAGE, isManaged: true, isTaxed: true, hasInvoice: true } },
    'ok',
    'Stripe sells in its own name, tax is computed, in the price, an invoice for each payment',
  ],
])('a payment page of which %j is %s', (page, level, text) => {
  expect(check({ page })[2]).toMatchObject({
    name: 'checkout',
    level,
    text: expect.stringContaining(text),
  })
})

test.each<[boolean | null, string]>([
  [true, 'on top'],
  [false, 'in the price'],
  [null, 'as the account has it'],
])('tax on a price of which it is %p that it comes on top is computed %s', (isTaxOnTop, text) => {
  const price = {
    id: 'price_1',
    found: { kind: 'answered', value: { ...PRICE, isTaxOnTop } },
  } as const
  const page = { kind: 'answered', value: { ...PAGE, isTaxed: true } } as const
  expect(check({ price, page })[2]?.text).toContain(`tax is computed, ${text}, no invoice`)
})

test('a setting for which Stripe makes no page is to be mended', () => {
  const value = { refusal: 'Stripe refuses it', setting: 'PREMIUM_PRICE' }
  expect(check({ page: { kind: 'answered', value } })[2]).toMatchObject({
    advice: 'mend PREMIUM_PRICE',
  })
})

test('a price is shown', () => {
  expect(pricing({ kind: 'answered', value: PRICE })).toMatchObject({
    name: 'price',
    level: 'ok',
    text: '400 eur, price_1',
  })
})

test('a price in several currencies is a warning that names them, and what is asked for', () => {
  const value = { ...PRICE, otherCurrencies: ['gbp', 'usd'] }
  expect(pricing({ kind: 'answered', value })).toEqual({
    name: 'price',
    level: 'warning',
    text: 'price_1 has prices in other currencies (GBP, USD): all buyers are asked for 400 eur',
    advice: expect.stringContaining('take the other currencies away'),
  })
})

test.each<[NonNullable<StripeFacts['price']>['found'], string]>([
  [{ kind: 'answered', value: null }, 'knows no price_1 in the mode of the key'],
  [{ kind: 'answered', value: { ...PRICE, isActive: false } }, 'not active'],
  [{ kind: 'answered', value: { ...PRICE, isOneTime: false } }, 'again and again'],
  [{ kind: 'answered', value: { ...PRICE, amount: null } }, 'no amount'],
  [{ kind: 'refused', status: 403 }, 'may not read'],
  [{ kind: 'unreachable', reason: 'HTTP 500' }, 'HTTP 500'],
])('a price of which %j fails', (found, text) => {
  expect(pricing(found)).toMatchObject({ level: 'failed', text: expect.stringContaining(text) })
})
