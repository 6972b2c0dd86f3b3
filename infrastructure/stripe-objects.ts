import type Stripe from 'stripe'
import type { Dispute, Refund } from '../domain/premium-grant.ts'
import { type PurchaseId, readPurchaseId, type SessionReport } from '../domain/purchase.ts'

// Stripe's objects in our terms: https://docs.stripe.com/api/checkout/sessions/object, /refunds/object and
// /disputes/object. Each names only the fields that it reads, so that the sandbox can make such objects too.

export type SessionObject = Pick<
  Stripe.Checkout.Session,
  | 'id'
  | 'object'
  | 'amount_subtotal'
  | 'amount_total'
  | 'client_reference_id'
  | 'currency'
  | 'livemode'
  | 'metadata'
  | 'mode'
  | 'payment_status'
  | 'status'
  | 'url'
> & { payment_intent: string | Pick<Stripe.PaymentIntent, 'id' | 'status'> | null }

export function toSessionReport(
  session: SessionObject,
  outcome: SessionReport['outcome'],
): SessionReport {
  return {
    sessionId: session.id,
    purchaseId: purchaseIdOf(session),
    outcome,
    // Sessions that ask for no money have no amounts; 0 is never what was asked for.
    amountSubtotal: session.amount_subtotal ?? 0,
    amountTotal: session.amount_total ?? 0,
    currency: session.currency ?? '',
    live: session.livemode,
    singlePayment: session.mode === 'payment',
    paymentIntentId: idOf(session.payment_intent),
    url: session.url ?? null,
  }
}

/** Another shop in the same account may use one of the two names; only we use both. */
function purchaseIdOf({ client_reference_id, metadata }: SessionObject): PurchaseId | null {
  if (!client_reference_id || metadata?.['purchase_id'] !== client_reference_id) return null
  return readPurchaseId(client_reference_id)
}

/** What a session says of itself. Without its payment intent expanded, money that bounced seems to be on its way. */
export function outcomeOf(session: SessionObject): SessionReport['outcome'] {
  switch (session.status) {
    case 'open':
      return 'open'
    case 'expired':
      return 'closed'
    case 'complete':
      return isPaid(session) ? 'paid' : unpaidOutcome(session)
    default:
      throw new Error(`a session of status ${session.status}`)
  }
}

export function isPaid({ payment_status }: SessionObject): boolean {
  return payment_status === 'paid' || payment_status === 'no_payment_required'
}

/** A completed session is paid later, or never: https://docs.stripe.com/payments/paymentintents/lifecycle. */
function unpaidOutcome({ payment_intent }: SessionObject): SessionReport['outcome'] {
  const status = typeof payment_intent === 'object' ? payment_intent?.status : undefined
  return status === 'canceled' || status === 'requires_payment_method' ? 'closed' : 'processing'
}

/** Null for a refund of money that did not come through a payment intent, and so not through us. */
export function toRefund({ id, amount, status, payment_intent }: Stripe.Refund): Refund | null {
  const paymentIntentId = idOf(payment_intent)
  return paymentIntentId === null
    ? null
    : { id, paymentIntentId, amount, state: refundState(status) }
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
    default:
      return 'open'
  }
}

/** Stripe gives a reference as an id, or expanded as the object itself. */
export function idOf(reference: string | { id: string } | null | undefined): string | null {
  if (!reference) return null
  return typeof reference === 'string' ? reference : reference.id
}
