import type Stripe from 'stripe'
import type { StripeEvent } from '../stripe-events.ts'
import type { Account } from './account.ts'
import { newRefund } from './objects.ts'
import { invalidRequest } from './refusal.ts'

/** Gives `amount` (in minor units) back, or without one all that is left; https://docs.stripe.com/api/refunds/create. */
export function refundCharge(
  account: Account,
  charge: Stripe.Charge,
  { amount, status }: { amount: number | null; status: 'pending' | 'succeeded' },
): { refund: Stripe.Refund; events: StripeEvent[] } {
  const left = charge.amount - charge.amount_refunded
  if (left === 0) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    })
  }
  const returned = amount ?? left
  if (returned < 1 || returned > left) {
    throw invalidRequest(`Refund amount (${returned}) is not between 1 and ${left}`, {
      param: 'amount',
    })
  }

  const refund = newRefund(charge, { amount: returned, status, created: account.mode().created })
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
