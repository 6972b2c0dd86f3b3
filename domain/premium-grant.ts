import type { Email } from './email.ts'

/** Money on its way back to the buyer. It counts until it bounces. */
export type Refund = {
  readonly id: string
  readonly paymentIntentId: string
  /** In minor units. */
  readonly amount: number
  readonly state: RefundState
}

/** In the order in which a refund moves: money that has arrived can still be sent back by the bank. */
export const REFUND_STATES = ['pending', 'succeeded', 'failed'] as const
export type RefundState = (typeof REFUND_STATES)[number]

/** A buyer's bank asks for the money. An inquiry only asks a question; a chargeback takes the money away. */
export type Dispute = {
  readonly id: string
  readonly paymentIntentId: string
  readonly state: DisputeState
  /** When the provider said so; decides between two verdicts. */
  readonly reportedAt: Date
}

/** In the order in which a dispute moves; of two verdicts at the same moment the later in this list holds. */
export const DISPUTE_STATES = ['inquiry', 'open', 'won', 'lost'] as const
export type DisputeState = (typeof DISPUTE_STATES)[number]

/** What goes back to the buyer, or is asked back. */
export type Reversals = {
  readonly refunds: readonly Refund[]
  readonly disputes: readonly Dispute[]
}

/** What became of the money of a paid purchase. */
export type Payment = Reversals & {
  /** In minor units; 0 when a voucher paid for everything. */
  readonly amountPaid: number
}

/** A reason why an address has premium: a purchase that was paid, or an operator's word. */
export type PremiumGrant = {
  /** The purchase's id for a purchase. */
  readonly id: string
  readonly email: Email
  /** Null when an operator gave it. */
  readonly payment: Payment | null
  readonly revokedAt: Date | null
}

/** Premium is a function of facts, so neither their order nor their number matters. */
export function hasPremium(grants: readonly PremiumGrant[]): boolean {
  return grants.some(isActive)
}

/** Not revoked, and either given by hand or paid with money that is still ours. */
export function isActive({ payment, revokedAt }: PremiumGrant): boolean {
  if (revokedAt) return false
  return payment === null || isMoneyHere(payment)
}

/**
 * Whether money of another payment of the address is still here, also where an operator took back the access that it
 * gave.
 */
export function hasMoneyOfAnother(grants: readonly PremiumGrant[], purchaseId: string): boolean {
  return grants.some(({ id, payment }) => id !== purchaseId && payment && isMoneyHere(payment))
}

/** Neither sent back in full nor taken back by the bank. */
export function isMoneyHere(payment: Payment): boolean {
  return !isRefundedInFull(payment) && !isChargedBack(payment)
}

/** Whether a payment other than this purchase's gives the address premium, so that this one is one too many. */
export function isPaidTwice(grants: readonly PremiumGrant[], purchaseId: string): boolean {
  return grants.some(
    (grant) => grant.id !== purchaseId && grant.payment !== null && isActive(grant),
  )
}

/** Refunds count from the moment they are asked for, and no more once they have bounced. */
export function isRefundedInFull({
  amountPaid,
  refunds,
}: Pick<Payment, 'amountPaid' | 'refunds'>): boolean {
  const refunded = refunds
    .filter(({ state }) => state !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0)
  // Nothing can be refunded of a purchase that cost nothing.
  return refunded > 0 && refunded >= amountPaid
}

function isChargedBack({ disputes }: Payment): boolean {
  return disputes.some(takesMoney)
}

/** An inquiry takes none, and a dispute that was won gives it back. */
export function takesMoney({ state }: Dispute): boolean {
  return state === 'open' || state === 'lost'
}

/** Whether what is known of a refund or a dispute is another than before, rather than the same at a later moment. */
export function isNews(
  known: { readonly state: RefundState | DisputeState } | null,
  merged: { readonly state: RefundState | DisputeState },
): boolean {
  return known?.state !== merged.state
}

/** What is known of a refund after one more report. The order of the reports does not matter. */
export function mergeRefund(known: Refund | null, reported: Refund): Refund {
  if (!known) return reported
  const isLater = REFUND_STATES.indexOf(reported.state) > REFUND_STATES.indexOf(known.state)
  return isLater ? reported : known
}

/** What is known of a dispute after one more report. The order of the reports does not matter. */
export function mergeDispute(known: Dispute | null, reported: Dispute): Dispute {
  if (!known) return reported
  return compareDisputes(reported, known) > 0 ? reported : known
}

/** A verdict outlasts what led to it; of two verdicts the later one holds, and of two at once the loss. */
function compareDisputes(left: Dispute, right: Dispute): number {
  return (
    disputeStage(left) - disputeStage(right) ||
    left.reportedAt.getTime() - right.reportedAt.getTime() ||
    DISPUTE_STATES.indexOf(left.state) - DISPUTE_STATES.indexOf(right.state)
  )
}

function disputeStage({ state }: Dispute): number {
  return Math.min(DISPUTE_STATES.indexOf(state), DISPUTE_STATES.indexOf('won'))
}
