import { describe, expect, test } from 'bun:test'
import {
  DISPUTE_STATES,
  type Dispute,
  type DisputeState,
  mergeDispute,
  withdrawsFunds,
} from '../../domain/dispute.ts'
import { NOON } from '../support/fakes.ts'
import { orderingsOf } from '../support/orderings.ts'

const reported = (state: DisputeState, minute: number): Dispute => ({
  id: 'dp_1',
  paymentIntentId: 'pi_1',
  state,
  reportedAt: new Date(NOON.getTime() + minute),
})

test.each([
  ['inquiry', false],
  ['open', true],
  ['won', false],
  ['lost', true],
] as const)('a dispute that is %s has the funds withdrawn or not', (state, isWithdrawn) => {
  expect(withdrawsFunds(reported(state, 0))).toBe(isWithdrawn)
})

describe('reports of a dispute', () => {
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
