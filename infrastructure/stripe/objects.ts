import type Stripe from 'stripe'
import type { Dispute } from '../../domain/dispute.ts'
import type { Refund } from '../../domain/refund.ts'

// Stripe's objects in our terms: https://docs.stripe.com/api/refunds/object and /disputes/object.

/** Null for a refund of money that did not come through a payment intent, and so not through us. */
export function toRefund({ id, amount, status, payment_intent }: Stripe.Refund): Refund | null {
  const paymentIntentId = idOf(payment_intent)
  if (paymentIntentId === null) return null
  if (!Number.isSafeInteger(amount)) throw new Error('a refund without an amount')
  return { id, paymentIntentId, amount, state: refundState(status) }
}

function refundState(status: Stripe.Refund['status']): Refund['state'] {
  switch (status) {
    case 'succeeded':
      return 'succeeded'
    case 'failed':
    case 'canceled':
      return 'failed'
    default:
      return 'pending'
  }
}

/** Null for a dispute about money that did not come through a payment intent, and so not through us. */
export function toDispute(
  { id, status, payment_intent }: Stripe.Dispute,
  reportedAt: Date,
): Dispute | null {
  const paymentIntentId = idOf(payment_intent)
  return paymentIntentId === null
    ? null
    : { id, paymentIntentId, state: disputeState(status), reportedAt }
}

function disputeState(status: Stripe.Dispute['status']): Dispute['state'] {
  switch (status) {
    case 'warning_needs_response':
    case 'warning_under_review':
    case 'warning_closed':
      return 'inquiry'
    case 'won':
      return 'won'
    case 'lost':
      return 'lost'
    // In every other status, such as an appeal or a prevented dispute, the money is not here.
    default:
      return 'open'
  }
}

/** Stripe gives a reference as an id, or expanded as the object itself. */
export function idOf(reference: string | { id: string } | null | undefined): string | null {
  if (!reference) return null
  return typeof reference === 'string' ? reference : reference.id
}

/** Stripe counts in whole seconds. */
export function toDate(seconds: number): Date {
  return new Date(seconds * 1000)
}

export function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
