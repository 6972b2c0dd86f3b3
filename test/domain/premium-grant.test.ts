import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseEmail } from '../../domain/email.ts'
import {
  DISPUTE_STATES,
  type Dispute,
  type DisputeState,
  hasPremium,
  isActive,
  isPaidTwice,
  isRefundedInFull,
  mergeDispute,
  mergeRefund,
  type PremiumGrant,
  REFUND_STATES,
  type Refund,
  type RefundState,
} from '../../domain/premium-grant.ts'
import { NOON } from '../support/fakes.ts'
import { orderingsOf } from '../support/orderings.ts'

const email = parseEmail('ada@example.com')
const paymentIntentId = 'pi_1'
const at = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)

type RefundRow = readonly [state: RefundState, amount: number]

function bought(
  amountPaid: number,
  refunds: readonly RefundRow[],
  disputes: readonly DisputeState[],
): PremiumGrant {
  return {
    id: 'pur_1',
    email,
    revokedAt: null,
    payment: {
      amountPaid,
      refunds: refunds.map(([state, amount], index) => ({
        id: `re_${index}`,
        paymentIntentId,
        amount,
        state,
      })),
      disputes: disputes.map((state, index) => ({
        id: `dp_${index}`,
        paymentIntentId,
        state,
        reportedAt: NOON,
      })),
    },
  }
}

const givenByHand: PremiumGrant = { id: 'grant_1', email, payment: null, revokedAt: null }

describe('a grant', () => {
  test.each<[string, PremiumGrant, boolean]>([
    ['given by hand', givenByHand, true],
    ['paid', bought(400, [], []), true],

    ['refunded in part', bought(400, [['succeeded', 399]], []), true],
    [
      'refunded in several parts that leave something',
      bought(
        400,
        [
          ['succeeded', 200],
          ['pending', 199],
        ],
        [],
      ),
      true,
    ],
    ['refunded in full', bought(400, [['succeeded', 400]], []), false],
    ['refunded in full by a refund under way', bought(400, [['pending', 400]], []), false],
    [
      'refunded in full by two parts',
      bought(
        400,
        [
          ['succeeded', 150],
          ['succeeded', 250],
        ],
        [],
      ),
      false,
    ],
    [
      'refunded in full by parts of which one is under way',
      bought(
        400,
        [
          ['succeeded', 150],
          ['pending', 250],
        ],
        [],
      ),
      false,
    ],
    ['refunded by more than was paid', bought(400, [['succeeded', 401]], []), false],
    ['whose refund bounced', bought(400, [['failed', 400]], []), true],
    [
      'of whose refunds one bounced',
      bought(
        400,
        [
          ['succeeded', 200],
          ['failed', 200],
        ],
        [],
      ),
      true,
    ],
    [
      'refunded again after a refund bounced',
      bought(
        400,
        [
          ['failed', 400],
          ['succeeded', 400],
        ],
        [],
      ),
      false,
    ],
    ['bought with a voucher and refunded in full', bought(100, [['succeeded', 100]], []), false],
    ['bought with a voucher and refunded in part', bought(100, [['succeeded', 99]], []), true],

    ['about which a bank inquires', bought(400, [], ['inquiry']), true],
    ['with an open chargeback', bought(400, [], ['open']), false],
    ['with a chargeback that was won', bought(400, [], ['won']), true],
    ['with a chargeback that was lost', bought(400, [], ['lost']), false],
    ['with one chargeback won and another open', bought(400, [], ['won', 'open']), false],
    ['with one chargeback won and another lost', bought(400, [], ['lost', 'won']), false],
    ['with an inquiry and a chargeback won', bought(400, [], ['inquiry', 'won']), true],
    ['won back, but refunded in full', bought(400, [['succeeded', 400]], ['won']), false],
    ['refunded in part, with a lost chargeback', bought(400, [['succeeded', 1]], ['lost']), false],

    ['that cost nothing', bought(0, [], []), true],
    ['that cost nothing, with a bounced refund', bought(0, [['failed', 400]], []), true],
    ['that cost nothing, with an inquiry', bought(0, [], ['inquiry']), true],
    ['that cost nothing, with an open chargeback', bought(0, [], ['open']), false],
    ['that cost nothing, with a lost chargeback', bought(0, [], ['lost']), false],
    ['that cost nothing, with a won chargeback', bought(0, [], ['won']), true],
  ])('%s is active or not', (_, grant, active) => {
    expect(isActive(grant)).toBe(active)
    expect(isActive({ ...grant, revokedAt: NOON })).toBe(false)
  })

  test.each([
    ['no grant', [], false],
    ['one active grant', [givenByHand], true],
    ['a revoked grant', [{ ...givenByHand, revokedAt: NOON }], false],
    ['a refunded purchase', [bought(400, [['succeeded', 400]], [])], false],
    [
      'a refunded purchase and a paid one',
      [bought(400, [['pending', 400]], []), bought(400, [], [])],
      true,
    ],
    [
      'a revoked grant and a later purchase',
      [{ ...givenByHand, revokedAt: NOON }, bought(400, [], [])],
      true,
    ],
  ])('an address with %s has premium or not', (_, grants, premium) => {
    expect(hasPremium(grants)).toBe(premium)
    expect(hasPremium([...grants].reverse())).toBe(premium)
  })
})

describe('reports of a refund', () => {
  const reported = (state: RefundState): Refund => ({
    id: 're_1',
    paymentIntentId,
    amount: 400,
    state,
  })

  test.each([
    [['pending'], 'pending'],
    [['pending', 'succeeded'], 'succeeded'],
    [['pending', 'failed'], 'failed'],
    [['succeeded', 'failed'], 'failed'],
    [['pending', 'succeeded', 'failed'], 'failed'],
    [[...REFUND_STATES, ...REFUND_STATES], 'failed'],
  ] as const)('%j, in any order, say that it %s', (states, state) => {
    for (const ordering of orderingsOf(states)) {
      const known = ordering.map(reported).reduce<Refund | null>(mergeRefund, null)
      expect(known).toEqual(reported(state))
    }
  })
})

describe('reports of a dispute', () => {
  const reported = (state: DisputeState, minute: number): Dispute => ({
    id: 'dp_1',
    paymentIntentId,
    state,
    reportedAt: at(minute),
  })

  test.each<[string, readonly Dispute[], DisputeState]>([
    ['an inquiry that becomes a chargeback', [reported('inquiry', 1), reported('open', 2)], 'open'],
    ['a chargeback that is won', [reported('open', 1), reported('won', 2)], 'won'],
    ['a chargeback that is lost', [reported('open', 1), reported('lost', 2)], 'lost'],
    [
      'a verdict, and funds moving an instant later',
      [reported('won', 2), reported('open', 3)],
      'won',
    ],
    ['an inquiry closed long after', [reported('lost', 1), reported('inquiry', 9)], 'lost'],
    ['a loss overturned later', [reported('lost', 1), reported('won', 2)], 'won'],
    ['a win overturned later', [reported('won', 1), reported('lost', 2)], 'lost'],
    ['two verdicts at once', [reported('won', 1), reported('lost', 1)], 'lost'],
    ['a whole history', DISPUTE_STATES.map((state, minute) => reported(state, minute)), 'lost'],
    [
      'a long history',
      [
        reported('inquiry', 1),
        reported('open', 2),
        reported('open', 3),
        reported('lost', 4),
        reported('won', 5),
      ],
      'won',
    ],
  ])('%s: any order gives the same', (_, reports, state) => {
    for (const ordering of orderingsOf(reports)) {
      const known = ordering.reduce<Dispute | null>(mergeDispute, null)
      expect(known?.state).toBe(state)
      expect(ordering.reduce(mergeDispute, known)).toEqual(known)
    }
  })

  test('every set of reports has one outcome, whatever the order and the repetitions', () => {
    const all = DISPUTE_STATES.flatMap((state) => [1, 2].map((minute) => reported(state, minute)))
    for (const one of all) {
      for (const two of all) {
        for (const three of all) {
          const outcomes = orderingsOf([one, two, three, one]).map((ordering) =>
            JSON.stringify(ordering.reduce<Dispute | null>(mergeDispute, null)),
          )
          expect(new Set(outcomes).size).toBe(1)
        }
      }
    }
  })
})

test.each<[string, PremiumGrant[], boolean]>([
  ['nothing else', [bought(400, [], [])], false],
  ['another payment', [bought(400, [], []), { ...bought(400, [], []), id: 'pur_2' }], true],
  [
    'a payment that was refunded',
    [{ ...bought(400, [['succeeded', 400]], []), id: 'pur_2' }],
    false,
  ],
  ['only an operator', [bought(400, [], []), givenByHand], false],
])('a payment is a second one or not, where the address has %s', (_, grants, isSecond) => {
  expect(isPaidTwice(grants, 'pur_1')).toBe(isSecond)
})

describe('what was sent back', () => {
  const refund = fc.record({
    id: fc.uuid(),
    paymentIntentId: fc.constant(paymentIntentId),
    amount: fc.nat({ max: 400 }),
    state: fc.constantFrom(...REFUND_STATES),
  })

  test('is all that was paid or not, whatever the order of the refunds', () => {
    fc.assert(
      fc.property(fc.array(refund, { maxLength: 6 }), fc.nat({ max: 800 }), (refunds, paid) => {
        const sentBack = refunds.reduce(
          (sum, one) => sum + (one.state === 'failed' ? 0 : one.amount),
          0,
        )
        const isAll = sentBack > 0 && sentBack >= paid
        expect(isRefundedInFull({ amountPaid: paid, refunds })).toBe(isAll)
        expect(isRefundedInFull({ amountPaid: paid, refunds: refunds.toReversed() })).toBe(isAll)
      }),
    )
  })
})
