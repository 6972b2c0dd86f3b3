import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import { parseEmail } from '../../domain/email.ts'
import type { PurchaseId } from '../../domain/order.ts'
import {
  attachSession,
  closePurchase,
  draftPurchase,
  PURCHASE_STATES,
  type Purchase,
  type PurchaseState,
  type ReviewReason,
  settlePurchase,
} from '../../domain/purchase.ts'
import type { SessionOutcome, SessionReport } from '../../domain/session-report.ts'
import { inState, NOON } from '../support/fakes.ts'
import { orderingsOf } from '../support/orderings.ts'
import { paidReport } from '../support/payments/paid-report.ts'

const id = 'pur_1' as PurchaseId
const later = new Date(NOON.getTime() + MINUTE_MS)
const drafted = draftPurchase({
  id,
  email: parseEmail('ada@example.com'),
  language: 'sv',
  price: { amount: 400, currency: 'eur' },
  live: true,
  now: NOON,
})
const opened = attachSession(drafted, 'cs_1')

const RULES = { leastAmount: 400, isDuplicate: false, now: later }

function settle(purchase: Purchase, own: Partial<SessionReport>, leastAmount = 400) {
  return settlePurchase(purchase, paidReport(own), { ...RULES, leastAmount })
}

describe('a paid session', () => {
  test('pays the purchase and joins its money to it', () => {
    expect(settle(opened, {})).toEqual({
      ...opened,
      state: 'paid',
      paidAt: later,
      amountPaid: 400,
      isDuplicate: false,
      revokedAt: null,
      paymentIntentId: 'pi_1',
    })
  })

  test('is one too many where another payment gives premium already, and stays so', () => {
    const duplicate = settlePurchase(opened, paidReport({}), { ...RULES, isDuplicate: true })
    expect(duplicate).toEqual({ ...settle(opened, {}), isDuplicate: true } as Purchase)
    expect(settle(duplicate, {})).toBe(duplicate)
  })

  test('stays the one that counts where another payment came after it', () => {
    const paid = settle(opened, {})
    expect(settlePurchase(paid, paidReport({}), { ...RULES, isDuplicate: true })).toBe(paid)
  })

  test('is taken for the session of a purchase that never heard of its own', () => {
    expect(settle(drafted, {}).sessionId).toBe('cs_1')
  })

  test('pays a purchase that was closed before', () => {
    expect(settle(closePurchase(opened), {}).state).toBe('paid')
  })

  test('pays once: a repetition changes nothing, not even the moment', () => {
    const paid = settle(opened, {})
    const now = new Date(later.getTime() + MINUTE_MS)
    expect(settlePurchase(paid, paidReport({}), { ...RULES, now })).toBe(paid)
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
    for (const leastAmount of [400, 0]) {
      expect(settle(opened, own, leastAmount)).toEqual({
        ...opened,
        state: 'review',
        reviewReason,
        amountReceived: own.amountTotal ?? 400,
        paymentIntentId: 'pi_1',
      })
    }
  })

  test.each([
    ['a part', 150],
    ['all but a cent', 1],
    ['everything', 0],
  ])('with a voucher for %s pays only where promotion codes are switched on', (_, amountTotal) => {
    expect(settle(opened, { amountTotal }, 0)).toMatchObject({
      state: 'paid',
      amountPaid: amountTotal,
    })
    expect(settle(opened, { amountTotal })).toEqual({
      ...opened,
      state: 'review',
      reviewReason: 'amount',
      amountReceived: amountTotal,
      paymentIntentId: 'pi_1',
    })
  })

  test.each([
    [400, 'paid'],
    [250, 'paid'],
    [249, 'review'],
    [1, 'review'],
    [0, 'review'],
  ] as const)(
    'with a voucher that leaves %p, where 250 is the least, is %s',
    (amountTotal, state) => {
      const rules = { ...RULES, leastAmount: 250 }
      const settled = settlePurchase(opened, paidReport({ amountTotal }), rules)
      expect(settled).toMatchObject(
        state === 'paid'
          ? { state }
          : { state, reviewReason: 'amount', amountReceived: amountTotal },
      )
    },
  )

  test('is judged by what its page allowed, whatever is allowed when it is paid', () => {
    const allowing = { ...opened, leastAmount: 250 }
    expect(settle(allowing, { amountTotal: 250 }, 400)).toMatchObject({ state: 'paid' })
    expect(settle(allowing, { amountTotal: 249 }, 0)).toMatchObject({ state: 'review' })
    const strict = { ...opened, leastAmount: 400 }
    expect(settle(strict, { amountTotal: 399 }, 0)).toMatchObject({ state: 'review' })
  })

  test('put aside for a voucher pays once promotion codes are switched on', () => {
    const aside = settle(opened, { amountTotal: 150 })
    const paid = settle(aside, { amountTotal: 150 }, 0)
    expect(paid.state).toBe('paid')
    expect(paid).not.toHaveProperty('reviewReason')
    expect(paid).not.toHaveProperty('amountReceived')
  })
})

const OUTCOMES: readonly [SessionOutcome, PurchaseState][] = [
  ['open', 'open'],
  ['unpaid', 'processing'],
  ['processing', 'processing'],
  ['expired', 'closed'],
  ['failed', 'closed'],
  ['paid', 'paid'],
]

describe('any session', () => {
  test('moves a purchase only to a later state', () => {
    for (const state of PURCHASE_STATES) {
      for (const [outcome, reported] of OUTCOMES) {
        const after = settle(inState(opened, state), { outcome }).state
        expect(PURCHASE_STATES.indexOf(after)).toBe(
          Math.max(PURCHASE_STATES.indexOf(state), PURCHASE_STATES.indexOf(reported)),
        )
      }
    }
  })

  test('keeps who bought, in which language, for how much and what an operator did', () => {
    const paid = { ...inState(opened, 'paid'), revokedAt: NOON }
    expect(settle(paid, {})).toMatchObject({
      email: opened.email,
      language: 'sv',
      price: opened.price,
      createdAt: opened.createdAt,
      expiresAt: opened.expiresAt,
      live: opened.live,
      revokedAt: NOON,
    })
  })
})

describe('reports in any order and any number', () => {
  const open = paidReport({ outcome: 'open', paymentIntentId: null })
  const processing = paidReport({ outcome: 'processing' })
  const expired = paidReport({ outcome: 'expired', paymentIntentId: null })
  const failed = paidReport({ outcome: 'failed' })
  const paid = paidReport({})
  const wrong = paidReport({ currency: 'usd' })
  const discounted = paidReport({ amountTotal: 100 })

  test.each<[string, readonly SessionReport[], Purchase['state']]>([
    ['opened and paid', [open, paid, paid], 'paid'],
    ['paid late', [open, processing, paid, processing], 'paid'],
    ['bounced', [open, processing, failed, failed], 'closed'],
    ['expired', [open, expired, expired], 'closed'],
    ['expired and paid all the same', [open, expired, paid, expired], 'paid'],
    ['everything at once', [open, processing, expired, failed, paid], 'paid'],
    ['not what was asked for', [open, processing, wrong, wrong, failed], 'review'],
    ['with a voucher', [open, discounted, discounted, expired], 'paid'],
  ])('%s: give the same purchase', (_, reports, state) => {
    const rules = { ...RULES, leastAmount: 0 }
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
    const reports = [open, processing, expired, failed, paid]
    const settled = reports.reduce(
      (purchase, next) => settlePurchase(purchase, next, RULES),
      opened,
    )
    for (const next of reports) expect(settlePurchase(settled, next, RULES)).toBe(settled)
  })
})
