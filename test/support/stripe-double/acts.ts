import type Stripe from 'stripe'
import type { StripeEvent } from '../stripe/stripe-events.ts'
import type { Account } from './account.ts'
import { customerDetails, newCharge, newDispute } from './objects.ts'
import { refundCharge } from './refunds.ts'
import { taxOn } from './session-order.ts'

/**
 * What buyers, their banks and Stripe do, each by the id of a session. Every act returns the events that it made, in
 * the order in which Stripe would make them, and throws where it cannot happen.
 */
export function stripeActs(account: Account) {
  function openSession(sessionId: string): Stripe.Checkout.Session {
    const session = account.findSession(sessionId)
    if (session.status !== 'open') throw new Error(`the session is ${session.status}`)
    return session
  }

  function intentIdOf(sessionId: string): string {
    const intent = account.findSession(sessionId).payment_intent
    if (typeof intent !== 'string') throw new Error('nobody has tried to pay this session')
    return intent
  }

  function chargeOf(sessionId: string): Stripe.Charge {
    const charge = account.charges.get(intentIdOf(sessionId))
    if (!charge) throw new Error('no money has moved')
    return charge
  }

  function completed(
    sessionId: string,
    payment_status: 'paid' | 'unpaid' | 'no_payment_required',
    email: string | undefined,
    type = 'checkout.session.completed',
  ): StripeEvent {
    const { customer_email } = account.findSession(sessionId)
    const session = account.changeSession(sessionId, {
      customer_details: customerDetails(email ?? customer_email),
      payment_status,
      status: 'complete',
      url: null,
    })
    return account.emit(type, session)
  }

  function capture(intentId: string): StripeEvent[] {
    const { amount } = account.changeIntent(intentId, {})
    const succeeded = { status: 'succeeded' as const, amount_received: amount }
    const charge = newCharge(account.changeIntent(intentId, succeeded), account.mode())
    account.charges.set(intentId, charge)
    const intent = account.changeIntent(intentId, { latest_charge: charge.id })
    return [
      account.emit('charge.succeeded', charge),
      account.emit('payment_intent.succeeded', intent),
    ]
  }

  /** What the buyer is charged: tax is known once the buyer has said where they live. */
  function totalOf(session: Stripe.Checkout.Session, discount = 0): number {
    const isTaxed = session.automatic_tax.enabled
    if (discount === 0 && !isTaxed) return session.amount_total ?? 0
    if (discount > 0 && !session.allow_promotion_codes) {
      throw new Error('the session takes no promotion codes')
    }
    const behavior = account.taxBehaviors.get(session.id) ?? 'exclusive'
    const reduced = (session.amount_subtotal ?? 0) - discount
    const tax = isTaxed ? taxOn(reduced, behavior) : 0
    const total = behavior === 'exclusive' ? reduced + tax : reduced
    account.changeSession(session.id, {
      amount_total: total,
      total_details: { amount_discount: discount, amount_shipping: 0, amount_tax: tax },
    })
    return total
  }

  return {
    /** By card. A `discount` (in minor units) that covers everything leaves nothing to pay. */
    pay(
      sessionId: string,
      { discount = 0, email }: { discount?: number; email?: string } = {},
    ): StripeEvent[] {
      const session = openSession(sessionId)
      const amount = totalOf(session, discount)
      if (amount === 0) return [completed(sessionId, 'no_payment_required', email)]
      const { intent, made } = account.openIntent(session, amount)
      return [...made, ...capture(intent.id), completed(sessionId, 'paid', email)]
    },

    /** By a debit that takes days. */
    payLate(sessionId: string, { email }: { email?: string } = {}): StripeEvent[] {
      const session = openSession(sessionId)
      const { intent, made } = account.openIntent(session, totalOf(session))
      const processing = account.changeIntent(intent.id, { status: 'processing' })
      return [
        ...made,
        account.emit('payment_intent.processing', processing),
        completed(sessionId, 'unpaid', email),
      ]
    },

    lateSucceed(sessionId: string): StripeEvent[] {
      const type = 'checkout.session.async_payment_succeeded'
      const captured = capture(intentIdOf(sessionId))
      return [...captured, completed(sessionId, 'paid', undefined, type)]
    },

    lateFail(sessionId: string): StripeEvent[] {
      const status = 'requires_payment_method'
      const intent = account.changeIntent(intentIdOf(sessionId), { status })
      const type = 'checkout.session.async_payment_failed'
      return [
        account.emit('payment_intent.payment_failed', intent),
        completed(sessionId, 'unpaid', undefined, type),
      ]
    },

    /** The card is refused; the session stays open. */
    decline(sessionId: string): StripeEvent[] {
      const session = openSession(sessionId)
      const { intent, made } = account.openIntent(session, session.amount_total ?? 0)
      return [...made, account.emit('payment_intent.payment_failed', intent)]
    },

    expire: (sessionId: string): StripeEvent[] => [account.expireSession(sessionId)],

    /** All that is left of the payment, or `amount` of it (in minor units). */
    refund(
      sessionId: string,
      { amount, pending = false }: { amount?: number; pending?: boolean } = {},
    ): StripeEvent[] {
      const status = pending ? 'pending' : 'succeeded'
      const order = { amount: amount ?? null, status, reason: 'requested_by_customer' } as const
      return refundCharge(account, chargeOf(sessionId), order).events
    },

    /** A pending refund arrives. */
    completeRefund(refundId: string): StripeEvent[] {
      const { refund, previous } = changeRefund(refundId, { status: 'succeeded' })
      return [
        account.emit('refund.updated', refund, previous),
        account.emit('charge.refund.updated', refund, previous),
      ]
    },

    /** The bank sends the refund back: the money is the merchant's again. */
    failRefund(refundId: string): StripeEvent[] {
      const { refund, previous } = changeRefund(refundId, {
        status: 'failed',
        failure_reason: 'lost_or_stolen_card',
      })
      return [
        account.emit('refund.failed', refund),
        account.emit('refund.updated', refund, previous),
        account.emit('charge.refund.updated', refund, previous),
      ]
    },

    dispute(sessionId: string, kind: 'inquiry' | 'chargeback'): StripeEvent[] {
      const dispute = newDispute(chargeOf(sessionId), kind, account.mode())
      account.disputes.set(dispute.id, dispute)
      const created = account.emit('charge.dispute.created', dispute)
      if (kind === 'inquiry') return [created]
      return [created, account.emit('charge.dispute.funds_withdrawn', dispute)]
    },

    /** An inquiry that becomes a chargeback. */
    escalate(disputeId: string): StripeEvent[] {
      const { dispute, previous } = changeDispute(disputeId, 'needs_response')
      return [
        account.emit('charge.dispute.updated', dispute, previous),
        account.emit('charge.dispute.funds_withdrawn', dispute),
      ]
    },

    closeDispute(disputeId: string, verdict: 'won' | 'lost' | 'warning_closed'): StripeEvent[] {
      const { dispute, previous } = changeDispute(disputeId, verdict)
      const closed = account.emit('charge.dispute.closed', dispute, previous)
      if (verdict !== 'won') return [closed]
      return [closed, account.emit('charge.dispute.funds_reinstated', dispute)]
    },

    /** Gives a session what Alibi did not ask for: another amount, currency, mode or reference. */
    alterSession(sessionId: string, change: Partial<Stripe.Checkout.Session>): void {
      account.changeSession(sessionId, change)
    },

    /** The same for the payment behind a session. */
    alterIntent(sessionId: string, change: Partial<Stripe.PaymentIntent>): void {
      account.changeIntent(intentIdOf(sessionId), change)
    },
  }

  function changeRefund(refundId: string, change: Partial<Stripe.Refund>) {
    const known = account.refunds.get(refundId)
    if (!known) throw new Error(`no refund ${refundId}`)
    const refund = { ...known, ...change }
    account.refunds.set(refundId, refund)
    return { refund, previous: { status: known.status } }
  }

  function changeDispute(disputeId: string, status: Stripe.Dispute.Status) {
    const known = account.disputes.get(disputeId)
    if (!known) throw new Error(`no dispute ${disputeId}`)
    const dispute = { ...known, status }
    account.disputes.set(disputeId, dispute)
    return { dispute, previous: { status: known.status } }
  }
}
