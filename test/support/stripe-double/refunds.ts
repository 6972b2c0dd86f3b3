import type Stripe from 'stripe'
import type { StripeEvent } from '../stripe/stripe-events.ts'
import type { Account } from './account.ts'
import { newRefund } from './objects.ts'
import { executionRefusal, invalidRequest } from './refusal.ts'

export type RefundAnswer = 'pending' | 'succeeded'

/**
 * Gives `amount` (in minor units) back, or without one all that is left; https://docs.stripe.com/api/refunds/create.
 */
export function refundCharge(
  account: Account,
  charge: Stripe.Charge,
  {
    amount,
    status,
    reason,
  }: { amount: number | null; status: RefundAnswer; reason: string | null },
): { refund: Stripe.Refund; events: StripeEvent[] } {
  if (isChargedBack(account, charge)) {
    throw executionRefusal(`Charge ${charge.id} has been charged back.`, 'charge_disputed')
  }
  const left = charge.amount - charge.amount_refunded
  if (left === 0) {
    const message = `Charge ${charge.id} has already been refunded.`
    throw executionRefusal(message, 'charge_already_refunded')
  }
  const returned = amount ?? left
  if (returned < 1 || returned > left) {
    throw invalidRequest(`Refund amount (${returned}) is not between 1 and ${left}`, {
      param: 'amount',
    })
  }

  const refund = newRefund(charge, {
    amount: returned,
    status,
    reason,
    created: account.mode().created,
  })
  account.refunds.set(refund.id, refund)
  const refunded: Stripe.Charge = {
    ...charge,
    amount_refunded: charge.amount_refunded + returned,
    refunded: returned === left,
  }
  account.charges.set(String(charge.payment_intent), refunded)
  const previous = { amount_refunded: charge.amount_refunded }
  return {
    refund,
    events: [
      account.emit('refund.created', refund),
      account.emit('charge.refunded', refunded, previous),
    ],
  }
}

/** An inquiry leaves the money where it is, and what was won is the merchant's again. */
function isChargedBack({ disputes }: Account, charge: Stripe.Charge): boolean {
  return [...disputes.values()].some(
    (dispute) =>
      dispute.charge === charge.id &&
      dispute.status !== 'won' &&
      !dispute.status.startsWith('warning_'),
  )
}
