import type Stripe from 'stripe'
import type { PurchaseId } from '../../../domain/order.ts'
import type { StripeDouble } from '../stripe-double/stripe-double.ts'

/** What the operator has done, and what there was to be revoked when it was done. */
export type OperatorWord = {
  /** Whether premium that was given by hand stands. */
  readonly isGiven: boolean
  /** Purchases that were revoked: those that the service knew as grants at that moment. */
  readonly revoked: ReadonlySet<string>
}

/** Who has premium: four lines that know only what happened at Stripe, and what the operator did. */
export function modelPremium(stripe: StripeDouble, { isGiven, revoked }: OperatorWord) {
  const bought = paidSessions(stripe).filter((session) => !revoked.has(purchaseIdOf(session)))
  const kept = bought.filter((session) => refunded(stripe, session) < amountOf(session))
  const owned = kept.filter((session) => !isChargedBack(stripe, session))
  return { hasPremium: isGiven || owned.length > 0, active: owned.map(purchaseIdOf) }
}

export function paidSessions({ sessions }: StripeDouble): Stripe.Checkout.Session[] {
  return [...sessions.values()].filter(({ payment_status }) => payment_status === 'paid')
}

export function purchaseIdOf({ client_reference_id }: Stripe.Checkout.Session): PurchaseId {
  return String(client_reference_id) as PurchaseId
}

function amountOf({ amount_total }: Stripe.Checkout.Session): number {
  return amount_total ?? 0
}

function refunded({ refunds }: StripeDouble, session: Stripe.Checkout.Session): number {
  return [...refunds.values()]
    .filter(({ payment_intent, status }) => {
      return payment_intent === session.payment_intent && status !== 'failed'
    })
    .reduce((sum, { amount }) => sum + amount, 0)
}

/** Won is won, and an inquiry (`warning_*`) is only a question. */
export function isChargedBack(
  { disputes }: StripeDouble,
  { payment_intent }: Stripe.Checkout.Session,
): boolean {
  return [...disputes.values()].some(
    (dispute) =>
      dispute.payment_intent === payment_intent &&
      dispute.status !== 'won' &&
      !dispute.status.startsWith('warning_'),
  )
}
