import { describe, expect, test } from 'bun:test'
import { SKEW_MAX_MS } from '../../domain/clock-skew.ts'
import type { Dispute, DisputeState } from '../../domain/dispute.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import { parseEmail } from '../../domain/email.ts'
import { isSamePrice, type PurchaseId, readPurchaseId } from '../../domain/order.ts'
import type { Reversals } from '../../domain/premium-grant.ts'
import {
  acceptDuplicate,
  attachSession,
  awaitsReview,
  canStillBeCreated,
  closePurchase,
  draftPurchase,
  findOpenPurchase,
  hasPaymentUnderWay,
  isAbandoned,
  isReportOf,
  isReusable,
  PURCHASE_STATES,
  type Purchase,
  reversalsOf,
  settlePurchase,
} from '../../domain/purchase.ts'
import type { Refund } from '../../domain/refund.ts'
import type { SessionReport } from '../../domain/session-report.ts'
import { inState, NOON } from '../support/fakes.ts'
import { paidReport } from '../support/payments/paid-report.ts'

const email = parseEmail('ada@example.com')
const price = { amount: 400, currency: 'eur' }
const id = 'pur_1' as PurchaseId
const at = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)

const order = { id, email, language: 'sv', price } as const

const drafted = draftPurchase({ ...order, live: true, now: NOON })
const paymentIntentId = 'pi_1'

function refunded(amount: number, own: Partial<Refund> = {}): Refund {
  return { id: 're_1', paymentIntentId, amount, state: 'succeeded', ...own }
}

function disputed(state: DisputeState): Dispute {
  return { id: 'du_1', paymentIntentId, state, reportedAt: NOON }
}

const NOTHING_BACK: Reversals = { refunds: [], disputes: [] }

const opened: Purchase = attachSession(drafted, 'cs_1')

describe('a drafted purchase', () => {
  test('gives its page the 30 minutes that Stripe wants by its own clock, for as long as it can be made', () => {
    const latest = at(MINUTE_MS)
    expect(canStillBeCreated(drafted, latest)).toBe(true)
    const latestThere = latest.getTime() + SKEW_MAX_MS
    expect(drafted.expiresAt.getTime() - latestThere).toBeGreaterThanOrEqual(30 * MINUTE_MS)
  })

  test('is open, asks for its price and knows nothing of the provider yet', () => {
    expect(drafted).toEqual({
      ...order,
      leastAmount: null,
      live: true,
      state: 'open',
      createdAt: NOON,
      expiresAt: at(33 * MINUTE_MS),
      sessionId: null,
      paymentIntentId: null,
    })
  })

  test('expires at a whole second, 31 to 35 minutes from each moment at which it may still be created', () => {
    for (const millisecond of [0, 1, 499, 999]) {
      const now = at(millisecond)
      const { expiresAt, ...draft } = draftPurchase({ ...order, live: true, now })
      expect(expiresAt.getMilliseconds()).toBe(0)

      for (const age of [0, 1, 30_000, MINUTE_MS - 1, MINUTE_MS]) {
        const askedAt = new Date(now.getTime() + age)
        expect(canStillBeCreated({ expiresAt, ...draft }, askedAt)).toBe(true)
        const ahead = expiresAt.getTime() - askedAt.getTime()
        expect(ahead).toBeGreaterThanOrEqual(31 * MINUTE_MS)
        expect(ahead).toBeLessThanOrEqual(35 * MINUTE_MS)
      }
      expect(canStillBeCreated({ expiresAt, ...draft }, new Date(now.getTime() + 60_001))).toBe(
        false,
      )
    }
  })
})

describe('a session', () => {
  test('is attached once, and a second one does not take its place', () => {
    expect(opened).toEqual({ ...drafted, sessionId: 'cs_1' })
    expect(attachSession(opened, 'cs_2')).toEqual(opened)
  })

  test('does not reopen a purchase that was closed in the meantime', () => {
    expect(attachSession(closePurchase(drafted), 'cs_1').state).toBe('closed')
  })

  test.each([
    ['all its life is left', 0, true],
    ['a millisecond more than five minutes are left', 28 * MINUTE_MS - 1, true],
    ['exactly five minutes are left', 28 * MINUTE_MS, false],
    ['it has expired', 34 * MINUTE_MS, false],
  ])('may be handed out again or not when %s', (_, afterMs, reusable) => {
    expect(isReusable(opened, price, at(afterMs))).toBe(reusable)
  })

  test.each([
    ['the amount', { amount: 401, currency: 'eur' }],
    ['the currency', { amount: 400, currency: 'usd' }],
  ])('is not handed out again when %s has changed', (_, today) => {
    expect(isReusable(opened, today, NOON)).toBe(false)
  })
})

describe('closing a purchase', () => {
  test.each([
    ['open', 'closed'],
    ['processing', 'closed'],
    ['closed', 'closed'],
    ['review', 'review'],
    ['paid', 'paid'],
  ] as const)('that is %s leaves it %s', (state, after) => {
    expect(closePurchase(inState(opened, state))).toEqual(inState(opened, after))
  })
})

describe('a payment is under way', () => {
  function isUnderWay(states: readonly Purchase['state'][], reversals: Partial<Reversals> = {}) {
    const purchases = states.map((state) => inState({ ...opened, paymentIntentId }, state))
    return hasPaymentUnderWay({ purchases, ...NOTHING_BACK, ...reversals })
  }

  test('while it is delayed', () => {
    expect(isUnderWay(['closed', 'processing', 'open'])).toBe(true)
  })

  test('otherwise not, also after a purchase that no longer gives premium', () => {
    expect(isUnderWay([])).toBe(false)
    expect(isUnderWay(['open', 'closed', 'paid'])).toBe(false)
  })

  test('while an operator has to look at money that has come', () => {
    expect(isUnderWay(['closed', 'review'])).toBe(true)
    expect(isUnderWay(['review'], { refunds: [refunded(399)] })).toBe(true)
  })

  test('no longer once that money has been sent back, or taken back by the bank', () => {
    expect(isUnderWay(['closed', 'review'], { refunds: [refunded(400)] })).toBe(false)
    expect(isUnderWay(['closed', 'review'], { disputes: [disputed('lost')] })).toBe(false)
  })
})

describe('an operator', () => {
  const review = inState({ ...opened, paymentIntentId }, 'review')

  test.each<[string, readonly Refund[], boolean]>([
    ['nothing was sent back', [], true],
    ['a part was sent back', [refunded(399)], true],
    ['all was sent back', [refunded(400)], false],
    ['all was sent back in two parts', [refunded(150), refunded(250)], false],
    ['all is on its way back', [refunded(400, { state: 'pending' })], false],
    ['all bounced', [refunded(400, { state: 'failed' })], true],
    ['another payment was sent back', [refunded(400, { paymentIntentId: 'pi_2' })], true],
  ])('has to look at money that was not asked for or not, when %s', (_, refunds, awaited) => {
    expect(awaitsReview(review, { refunds, disputes: [] })).toBe(awaited)
  })

  test.each<[DisputeState, boolean]>([
    ['inquiry', true],
    ['open', false],
    ['won', true],
    ['lost', false],
  ])('has to look at it or not, when a dispute about it is %s', (state, awaited) => {
    expect(awaitsReview(review, { refunds: [], disputes: [disputed(state)] })).toBe(awaited)
  })

  test('has to look at nothing that is in any other state', () => {
    const others = PURCHASE_STATES.filter((state) => state !== 'review')
    expect(others).toHaveLength(4)
    for (const state of others) {
      expect(awaitsReview(inState({ ...opened, paymentIntentId }, state), NOTHING_BACK)).toBe(false)
    }
  })

  test('has to look at no money where none has come, as with a voucher for everything', () => {
    expect(awaitsReview({ ...review, amountReceived: 0 } as Purchase, NOTHING_BACK)).toBe(false)
  })
})

describe('a purchase of which the provider knows no session', () => {
  test.each<[string, Purchase['state'], number, boolean]>([
    ['open, its time is over', 'open', 33 * MINUTE_MS, true],
    ['open, it has a millisecond left', 'open', 33 * MINUTE_MS - 1, false],
    ['its money is under way for 30 days', 'processing', 30 * DAY_MS, false],
    ['its money is under way for longer', 'processing', 30 * DAY_MS + 1, true],
    ['it was paid long ago', 'paid', 365 * DAY_MS, false],
    ['it was closed long ago', 'closed', 365 * DAY_MS, false],
    ['it waits for an operator', 'review', 365 * DAY_MS, false],
  ])('is given up or not when %s', (_, state, afterMs, forgotten) => {
    expect(isAbandoned(inState(drafted, state), at(afterMs))).toBe(forgotten)
  })
})

describe('a payment that was one too many', () => {
  test('is kept as the one that counts, and nothing else about it changes', () => {
    const paid = inState(opened, 'paid')
    expect(acceptDuplicate({ ...paid, isDuplicate: true } as Purchase)).toEqual(paid)
  })

  test('is never what was not paid', () => {
    const others = PURCHASE_STATES.filter((state) => state !== 'paid')
    for (const state of others) {
      const purchase = inState(opened, state)
      expect(acceptDuplicate(purchase)).toBe(purchase)
    }
  })
})

test('only an open purchase can be paid', () => {
  const purchases = PURCHASE_STATES.map((state) => inState(opened, state))
  expect(findOpenPurchase([...purchases].reverse())?.state).toBe('open')
  expect(findOpenPurchase(purchases.filter(({ state }) => state !== 'open'))).toBeNull()
  expect(findOpenPurchase([])).toBeNull()
})

describe('a report', () => {
  const report = paidReport({ outcome: 'open', paymentIntentId: null })

  test.each([
    ['its session, which is known', opened, report, true],
    [
      'its session, though the purchase is not named',
      opened,
      { ...report, purchaseId: null },
      true,
    ],
    ['another session that names the purchase', opened, { ...report, sessionId: 'cs_2' }, false],
    ['the purchase, whose session is not known yet', drafted, report, true],
    ['another purchase', drafted, { ...report, purchaseId: 'pur_2' as PurchaseId }, false],
    [
      'no purchase, where the session is not known yet',
      drafted,
      { ...report, purchaseId: null },
      false,
    ],
  ])('concerns a purchase or not when it names %s', (_, purchase, about, concerned) => {
    expect(isReportOf(about, purchase)).toBe(concerned)
  })
})

test('only what looks like a name of ours is read as one', () => {
  const ours = 'pur_01KAJ2Q8W5T7N3M9X4C6V8B1ZD'
  expect(readPurchaseId(ours)).toBe(ours as PurchaseId)
  for (const other of [
    '',
    'pur_',
    'order-42',
    'PUR_1',
    'pur_1\n',
    ' pur_1',
    `pur_${'1'.repeat(65)}`,
  ]) {
    expect(readPurchaseId(other)).toBeNull()
  }
})

test('prices are the same in amount and currency', () => {
  expect(isSamePrice(price, { ...price })).toBe(true)
  expect(isSamePrice(price, { ...price, amount: 401 })).toBe(false)
  expect(isSamePrice(price, { ...price, currency: 'usd' })).toBe(false)
})

describe('of two PaymentIntents', () => {
  const report = paidReport({ outcome: 'processing', paymentIntentId: 'pi_first' })
  const rules = { leastAmount: 400, isDuplicate: false, now: NOON }
  const paid = paidReport({ paymentIntentId: 'pi_paid' })
  const after = (...reports: SessionReport[]) =>
    reports.reduce((purchase, one) => settlePurchase(purchase, one, rules), opened)

  test('the one that was paid counts, whichever is heard of first', () => {
    for (const settled of [after(report, paid), after(paid, report), after(paid)]) {
      expect(settled).toMatchObject({ state: 'paid', paymentIntentId: 'pi_paid' })
    }
  })

  test('a chargeback on the one that was paid takes the access that it gave', () => {
    const settled = after(report, paid)
    const chargeback = { ...disputed('open'), paymentIntentId: 'pi_paid' }
    const own = reversalsOf(settled, { refunds: [], disputes: [chargeback] })
    expect(own.disputes).toEqual([chargeback])
  })

  test('one that is put aside for review is the one that its money came by', () => {
    const wrong = { ...paid, amountTotal: 300 }
    expect(after(report, wrong)).toMatchObject({ state: 'review', paymentIntentId: 'pi_paid' })
  })

  test('a paid report without one keeps the one that is known', () => {
    expect(after(report, { ...paid, paymentIntentId: null })).toMatchObject({
      state: 'paid',
      paymentIntentId: 'pi_first',
    })
  })

  test('what is paid keeps its own', () => {
    const again = { ...paid, paymentIntentId: 'pi_again' }
    expect(after(paid, again)).toMatchObject({ paymentIntentId: 'pi_paid' })
  })
})
