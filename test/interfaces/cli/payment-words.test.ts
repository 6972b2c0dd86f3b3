import { describe, expect, test } from 'bun:test'
import type { Dispute } from '../../../domain/dispute.ts'
import type { OutboxKey, OutboxMessage, OutboxProgress } from '../../../domain/outbox.ts'
import type { PremiumGrant } from '../../../domain/premium-grant.ts'
import type { Refund } from '../../../domain/refund.ts'
import {
  describeGrant,
  describeMessage,
  describeState,
  formatPrice,
  formatPurchaseAmount,
  formatReceived,
} from '../../../interfaces/cli/payment-words.ts'
import { inState, NOON } from '../../support/fakes.ts'
import { ANNA, openPurchase, paidPurchase } from '../../support/stores/contract-purchases.ts'

describe('a price', () => {
  test.each([
    [400, 'eur', '4.00 EUR'],
    [1, 'usd', '0.01 USD'],
    [0, 'eur', '0.00 EUR'],
    [99_999_999, 'eur', '999999.99 EUR'],
    [400, 'jpy', '400 JPY'],
    [4000, 'kwd', '4.000 KWD'],
  ])('of %d %s is shown as %s', (amount, currency, text) => {
    expect(formatPrice({ amount, currency })).toBe(text)
  })
})

describe('the amount of a purchase', () => {
  const review = (reviewReason: 'amount' | 'currency' | 'mode' | 'livemode') =>
    openPurchase('one', { state: 'review', reviewReason, amountReceived: 500 })

  test('is what was paid, what came, or else what was asked for', () => {
    expect(formatPurchaseAmount(paidPurchase('one', { amountPaid: 300 }))).toBe('3.00 EUR')
    expect(formatPurchaseAmount(review('amount'))).toBe('5.00 EUR')
    expect(formatPurchaseAmount(openPurchase('one'))).toBe('4.00 EUR')
  })

  test.each(['currency', 'mode', 'livemode'] as const)(
    'stays in minor units where a review for its %s leaves the currency unknown',
    (reason) => {
      expect(formatPurchaseAmount(review(reason))).toBe('500 minor units')
      expect(formatReceived(review(reason), 100)).toBe('100 minor units')
    },
  )
})

test('a state says why it waits for review, and whether it is one payment too many', () => {
  const states = (['open', 'processing', 'closed', 'review', 'paid'] as const).map((state) =>
    describeState(inState(openPurchase('one'), state)),
  )
  expect(states).toEqual(['open', 'processing', 'closed', 'review: amount', 'paid'])
  expect(describeState(paidPurchase('one', { isDuplicate: true }))).toBe('paid, second payment')
})

describe('a grant', () => {
  const revoked = { revokedAt: NOON }
  const bought = (facts: { refunds?: Refund[]; disputes?: Dispute[] }): PremiumGrant => ({
    id: 'pur_1',
    email: ANNA,
    payment: { amountPaid: 400, refunds: [], disputes: [], ...facts },
    revokedAt: null,
  })
  const refund = (amount: number, state: Refund['state']): Refund => ({
    id: `re_${amount}`,
    paymentIntentId: 'pi_1',
    amount,
    state,
  })
  const dispute = (id: string, state: Dispute['state']): Dispute => ({
    id,
    paymentIntentId: 'pi_1',
    state,
    reportedAt: NOON,
  })

  test.each<[string, PremiumGrant]>([
    ['given by hand', { id: 'grant_1', email: ANNA, payment: null, revokedAt: null }],
    ['bought', bought({})],
    ['refunded in part', bought({ refunds: [refund(399, 'succeeded')] })],
    ['whose refund bounced', bought({ refunds: [refund(400, 'failed')] })],
    [
      'whose chargeback was won',
      bought({ disputes: [dispute('du_1', 'won'), dispute('du_2', 'inquiry')] }),
    ],
  ])('%s is active', (_, grant) => {
    expect(describeGrant(grant)).toBe('active')
  })

  test.each<[string, PremiumGrant]>([
    [
      'revoked 2026-03-01T12:00:00.000Z',
      { id: 'grant_1', email: ANNA, payment: null, revokedAt: NOON },
    ],
    ['refunded in full', bought({ refunds: [refund(150, 'pending'), refund(250, 'succeeded')] })],
    [
      'chargeback du_2 lost',
      bought({ disputes: [dispute('du_1', 'won'), dispute('du_2', 'lost')] }),
    ],
    [
      'revoked 2026-03-01T12:00:00.000Z, refunded in full, chargeback du_1 open',
      {
        ...bought({ refunds: [refund(400, 'pending')], disputes: [dispute('du_1', 'open')] }),
        ...revoked,
      },
    ],
    ['revoked 2026-03-01T12:00:00.000Z', { ...bought({}), ...revoked }],
  ])('is not active, with every reason: %s', (reasons, grant) => {
    expect(describeGrant(grant)).toBe(`not active: ${reasons}`)
  })
})

test.each<[OutboxProgress, string]>([
  [{ state: 'waiting', dueAt: NOON }, 'waiting, due 2026-03-01T12:00:00.000Z'],
  [{ state: 'done', endedAt: NOON }, 'done 2026-03-01T12:00:00.000Z'],
  [{ state: 'dropped', endedAt: NOON }, 'dropped 2026-03-01T12:00:00.000Z'],
  [{ state: 'given_up', endedAt: NOON }, 'given up 2026-03-01T12:00:00.000Z: see to it yourself'],
])('a message that is %j is shown as %s', (progress, text) => {
  const { id: purchaseId, email, language, price, createdAt } = openPurchase('one')
  const message: OutboxMessage = {
    key: 'payment_confirmed:one' as OutboxKey,
    kind: 'payment_confirmed',
    purchaseId,
    email,
    language,
    amount: price,
    createdAt,
    attempts: 1,
    ...progress,
  }
  expect(describeMessage(message)).toBe(text)
})
