import { describe, expect, test } from 'bun:test'
import { parseEmail } from '../../domain/email.ts'
import {
  attachSession,
  closePurchase,
  draftPurchase,
  PURCHASE_STATES,
  type Purchase,
  type PurchaseId,
  type ReviewReason,
  type SessionReport,
  settlePurchase,
} from '../../domain/purchase.ts'
import { inState, NOON } from '../fakes.ts'
import { orderingsOf } from './orderings.ts'

const id = 'pur_1' as PurchaseId
const later = new Date(NOON.getTime() + 60_000)
const drafted = draftPurchase({
  id,
  email: parseEmail('ada@example.com'),
  price: { amount: 400, currency: 'eur' },
  live: true,
  now: NOON,
})
const opened = attachSession(drafted, 'cs_1')

function report(own: Partial<SessionReport>): SessionReport {
  return {
    sessionId: 'cs_1',
    purchaseId: id,
    outcome: 'paid',
    amountSubtotal: 400,
    amountTotal: 400,
    currency: 'eur',
    live: true,
    singlePayment: true,
    paymentIntentId: 'pi_1',
    url: null,
    ...own,
  }
}

function settle(purchase: Purchase, own: Partial<SessionReport>, allowPromotionCodes = false) {
  return settlePurchase(purchase, report(own), { allowPromotionCodes, now: later })
}

describe('a paid session', () => {
  test('pays the purchase and joins its money to it', () => {
    expect(settle(opened, {})).toEqual({
      ...opened,
      state: 'paid',
      paidAt: later,
      amountPaid: 400,
      revokedAt: null,
      paymentIntentId: 'pi_1',
    })
  })

  test('is taken for the session of a purchase that never heard of its own', () => {
    expect(settle(drafted, {}).sessionId).toBe('cs_1')
  })

  test('pays a purchase that was closed before', () => {
    expect(settle(closePurchase(opened), {}).state).toBe('paid')
  })

  test('pays once: a repetition changes nothing, not even the moment', () => {
    const paid = settle(opened, {})
    const now = new Date(later.getTime() + 60_000)
    expect(settlePurchase(paid, report({}), { allowPromotionCodes: false, now })).toEqual(paid)
  })

  test.each<[ReviewReason, Partial<SessionReport>]>([
    ['mode', { singlePayment: false }],
    ['livemode', { live: false }],
    ['currency', { currency: 'usd' }],
    ['amount', { amountSubtotal: 1, amountTotal: 1 }],
    ['amount', { amountSubtotal: 399, amountTotal: 399 }],
    ['amount', { amountSubtotal: 401, amountTotal: 401 }],
    ['amount', { amountTotal: 401 }],
    ['amount', { amountSubtotal: 401 }],
    ['amount', { amountSubtotal: 0, amountTotal: 0 }],
  ])('that is not what was asked for in its %s is put aside: %j', (reviewReason, own) => {
    for (const allowPromotionCodes of [false, true]) {
      expect(settle(opened, own, allowPromotionCodes)).toEqual({
        ...opened,
        state: 'review',
        reviewReason,
        paymentIntentId: 'pi_1',
      })
    }
  })

  test.each([
    ['a part', 150],
    ['all but a cent', 1],
    ['everything', 0],
  ])('with a voucher for %s pays only where promotion codes are switched on', (_, amountTotal) => {
    expect(settle(opened, { amountTotal }, true)).toMatchObject({
      state: 'paid',
      amountPaid: amountTotal,
    })
    expect(settle(opened, { amountTotal })).toEqual({
      ...opened,
      state: 'review',
      reviewReason: 'amount',
      paymentIntentId: 'pi_1',
    })
  })

  test('put aside for a voucher pays once promotion codes are switched on', () => {
    const aside = settle(opened, { amountTotal: 150 })
    const paid = settle(aside, { amountTotal: 150 }, true)
    expect(paid.state).toBe('paid')
    expect(paid).not.toHaveProperty('reviewReason')
  })
})

describe('any session', () => {
  test('moves a purchase only to a later state', () => {
    for (const state of PURCHASE_STATES) {
      for (const outcome of ['open', 'processing', 'closed', 'paid'] as const) {
        const after = settle(inState(opened, state), { outcome }).state
        expect(PURCHASE_STATES.indexOf(after)).toBe(
          Math.max(PURCHASE_STATES.indexOf(state), PURCHASE_STATES.indexOf(outcome)),
        )
      }
    }
  })

  test('keeps who bought, for how much and what an operator did', () => {
    const paid = { ...inState(opened, 'paid'), revokedAt: NOON }
    expect(settle(paid, {})).toMatchObject({
      email: opened.email,
      price: opened.price,
      createdAt: opened.createdAt,
      expiresAt: opened.expiresAt,
      live: opened.live,
      revokedAt: NOON,
    })
  })
})

describe('reports in any order and any number', () => {
  const open = report({ outcome: 'open', paymentIntentId: null })
  const processing = report({ outcome: 'processing' })
  const closed = report({ outcome: 'closed', paymentIntentId: null })
  const paid = report({})
  const wrong = report({ currency: 'usd' })
  const discounted = report({ amountTotal: 100 })

  test.each<[string, readonly SessionReport[], Purchase['state']]>([
    ['opened and paid', [open, paid, paid], 'paid'],
    ['paid late', [open, processing, paid, processing], 'paid'],
    ['bounced', [open, processing, closed], 'closed'],
    ['expired', [open, closed, closed], 'closed'],
    ['expired and paid all the same', [open, closed, paid, closed], 'paid'],
    ['everything at once', [open, processing, closed, paid, paid], 'paid'],
    ['not what was asked for', [open, processing, wrong, wrong, closed], 'review'],
    ['with a voucher', [open, discounted, discounted, closed], 'paid'],
  ])('%s: give the same purchase', (_, reports, state) => {
    const rules = { allowPromotionCodes: true, now: later }
    for (const start of [drafted, opened]) {
      const outcomes = orderingsOf(reports).map((ordering) =>
        JSON.stringify(
          ordering.reduce((purchase, next) => settlePurchase(purchase, next, rules), start),
        ),
      )
      expect(new Set(outcomes).size).toBe(1)
      expect(JSON.parse(outcomes[0]!)).toMatchObject({ state, sessionId: 'cs_1' })
    }
  })

  test('leave a purchase alone that was settled with them already', () => {
    const rules = { allowPromotionCodes: false, now: later }
    const reports = [open, processing, closed, paid]
    const settled = reports.reduce(
      (purchase, next) => settlePurchase(purchase, next, rules),
      opened,
    )
    for (const next of reports) expect(settlePurchase(settled, next, rules)).toEqual(settled)
  })
})
