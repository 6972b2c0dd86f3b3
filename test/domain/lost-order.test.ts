import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../domain/duration.ts'
import { parseEmail } from '../../domain/email.ts'
import { refuseOrder, restorePurchase } from '../../domain/lost-order.ts'
import type { PurchaseId } from '../../domain/order.ts'
import { draftPurchase, settlePurchase } from '../../domain/purchase.ts'
import { NOON } from '../support/fakes.ts'
import { paidReport } from '../support/payments/paid-report.ts'

const price = { amount: 400, currency: 'eur' }
const terms = { id: 'pur_1' as PurchaseId, email: parseEmail('ada@example.com'), price }
const drafted = draftPurchase({ ...terms, language: 'sv', live: true, now: NOON })
const { id, email, language, leastAmount, createdAt, expiresAt } = drafted
const order = {
  id,
  email,
  language,
  price,
  leastAmount,
  createdAt,
  expiresAt,
  seal: 'none',
} as const
const report = paidReport({ purchaseId: id, order })

describe('a purchase whose row was lost', () => {
  test('is again as it was drafted, whatever has happened to it since', () => {
    expect(restorePurchase(order, { live: true })).toEqual(drafted)
    expect(restorePurchase(order, { live: false }).live).toBe(false)
  })

  test('of which nothing shows that it was ordered here waits for an operator, for good', () => {
    const refused = refuseOrder(drafted, report)
    expect(refused).toEqual({
      ...drafted,
      state: 'review',
      reviewReason: 'order',
      amountReceived: 400,
      sessionId: 'cs_1',
      paymentIntentId: 'pi_1',
    })
    const rules = { leastAmount: 0, isDuplicate: false }
    for (const outcome of ['paid', 'processing', 'failed', 'expired', 'open', 'paid'] as const) {
      const now = new Date(NOON.getTime() + DAY_MS)
      expect(settlePurchase(refused, { ...report, outcome }, { ...rules, now })).toEqual(refused)
    }
  })
})
