import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  isRefundedInFull,
  mergeRefund,
  REFUND_STATES,
  type Refund,
  type RefundState,
} from '../../domain/refund.ts'
import { orderingsOf } from '../support/orderings.ts'

const paymentIntentId = 'pi_1'

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
