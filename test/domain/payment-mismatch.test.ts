import { expect, test } from 'bun:test'
import { parseEmail } from '../../domain/email.ts'
import { findMismatch } from '../../domain/payment-mismatch.ts'
import { draftPurchase, type PurchaseId } from '../../domain/purchase.ts'
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
const NO_CODES = { allowPromotionCodes: false, amountMin: 0 }
const CODES = { allowPromotionCodes: true, amountMin: 100 }

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
] as const)('money for %s', (_, own, rules, reason) => {
  expect(findMismatch(purchase, paidReport(own), rules)).toBe(reason)
})
