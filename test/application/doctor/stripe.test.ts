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
const WELL: StripeFacts = {
  isKeyLive: true,
  key: { kind: 'answered', value: { unreadable: [], unwritable: [] } },
  price: null,
  webhook: {
    listed: { kind: 'answered', value: [ENDPOINT] },
    wantedUrls: [ENDPOINT.url],
    wantedEvents: ['refund.created'],
    apiVersion: '2026-10-28.endive',
    undelivered: 0,
  },
}
const PRICE: PriceFacts = {
  isActive: true,
  isOneTime: true,
  amount: { amount: 400, currency: 'eur' },
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

test('a key, a price and a webhook that are well are three lines', () => {
  expect(told({})).toEqual([
    ['stripe', 'ok', 'the key works, in live mode'],
    ['price', 'ok', 'made at the checkout, from PREMIUM_PRICE and PREMIUM_CURRENCY'],
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
