import { expect, test } from 'bun:test'
import { parseEmail } from '../../domain/email.ts'
import { leastAmountOf, type PurchaseId } from '../../domain/order.ts'
import { draftPurchase, findMismatch } from '../../domain/purchase.ts'
import { NOON } from '../support/fakes.ts'
import { paidReport } from '../support/payments/paid-report.ts'

const purchase = draftPurchase({
  id: 'pur_1' as PurchaseId,
  email: parseEmail('ada@example.com'),
  language: 'en',
  price: { amount: 400, currency: 'eur' },
  live: true,
  now: NOON,
})
const NO_CODES = { leastAmount: 400 }
const CODES = { leastAmount: 100 }

test.each([
  ['what was asked for', {}, NO_CODES, null],
  ['a subscription', { singlePayment: false }, NO_CODES, 'mode'],
  ['test money', { live: false }, NO_CODES, 'livemode'],
  ['another currency', { currency: 'usd' }, NO_CODES, 'currency'],
  ['too little', { amountTotal: 399 }, NO_CODES, 'amount'],
  ['too much', { amountTotal: 401 }, CODES, 'amount'],
  ['another price', { amountSubtotal: 500 }, CODES, 'amount'],
  ['a voucher', { amountTotal: 100 }, CODES, null],
  ['a voucher for more than may be', { amountTotal: 99 }, CODES, 'amount'],
  ['tax on top', { amountTotal: 480, amountTax: 80 }, NO_CODES, null],
  ['tax in the price', { amountTax: 67 }, NO_CODES, null],
  ['tax in the price, told apart', { amountSubtotal: 333, amountTax: 67 }, NO_CODES, null],
  [
    'a voucher, and tax on top',
    { amountTotal: 120, amountDiscount: 300, amountTax: 20 },
    CODES,
    null,
  ],
  [
    'a voucher, and tax in the price',
    { amountTotal: 100, amountDiscount: 300, amountTax: 17 },
    CODES,
    null,
  ],
  [
    'a voucher for more than may be, made up for by tax',
    { amountTotal: 108, amountDiscount: 310, amountTax: 18 },
    CODES,
    'amount',
  ],
  ['more than tax on top', { amountTotal: 481, amountTax: 80 }, NO_CODES, 'amount'],
  ['less than tax on top', { amountTotal: 479, amountTax: 80 }, NO_CODES, 'amount'],
  ['too little, with tax', { amountTotal: 320, amountTax: 80 }, NO_CODES, 'amount'],
  [
    'another price, with tax in it',
    { amountSubtotal: 300, amountTotal: 300, amountTax: 50 },
    CODES,
    'amount',
  ],
] as const)('money for %s', (_, own, rules, reason) => {
  expect(findMismatch(purchase, paidReport(own), rules)).toBe(reason)
})

test('the least is what a promotion code may leave, and never more than the price', () => {
  const price = { amount: 400, currency: 'eur' }
  const least = (allowPromotionCodes: boolean, amountMin: number) =>
    leastAmountOf(price, { allowPromotionCodes, amountMin })
  expect([least(false, 0), least(true, 0), least(true, 250), least(true, 1000)]).toEqual([
    400, 0, 250, 400,
  ])
})
