import { describe, expect, test } from 'bun:test'
import type { DisputeState } from '../../domain/dispute.ts'
import { parseEmail } from '../../domain/email.ts'
import {
  hasPremium,
  isActive,
  isDuplicatePayment,
  type PremiumGrant,
} from '../../domain/premium-grant.ts'
import type { RefundState } from '../../domain/refund.ts'
import { NOON } from '../support/fakes.ts'

const email = parseEmail('ada@example.com')
const paymentIntentId = 'pi_1'

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
  expect(isDuplicatePayment(grants, 'pur_1')).toBe(isSecond)
})
