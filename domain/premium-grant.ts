import { type Dispute, type DisputeState, withdrawsFunds } from './dispute.ts'
import type { Email } from './email.ts'
import { isRefundedInFull, type Refund, type RefundState } from './refund.ts'

/** Money that goes back to the buyer, or that a bank asks back. */
export type Reversals = {
  readonly refunds: readonly Refund[]
  readonly disputes: readonly Dispute[]
}

/** The money of a paid purchase, and how much of it goes back. */
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

/** As much of a payment as says whether its money is still ours. */
export type PaymentFacts = {
  readonly amountPaid: number
  readonly refunds: readonly Pick<Refund, 'amount' | 'state'>[]
  readonly disputes: readonly Pick<Dispute, 'state'>[]
}

/** As much of a grant as says whether it gives premium. */
export type GrantFacts = {
  readonly payment: PaymentFacts | null
  readonly revokedAt: Date | null
}

// Why: docs/decisions.md#access-is-a-function-of-facts
/** Premium is a function of facts, so neither their order nor their number matters. */
export function hasPremium(grants: readonly GrantFacts[]): boolean {
  return grants.some(isActive)
}

/** Not revoked, and either given by hand or paid with money that is still ours. */
export function isActive({ payment, revokedAt }: GrantFacts): boolean {
  if (revokedAt) return false
  return payment === null || isRetained(payment)
}

/** Whether the money of another payment of the address is still ours. A revoked grant's payment counts as well. */
export function hasOtherRetainedPayment(
  grants: readonly PremiumGrant[],
  purchaseId: string,
): boolean {
  return grants.some(({ id, payment }) => id !== purchaseId && payment && isRetained(payment))
}

/** Neither sent back in full nor taken back by the bank. */
export function isRetained(payment: PaymentFacts): boolean {
  return !isRefundedInFull(payment) && !payment.disputes.some(withdrawsFunds)
}

/** Whether a payment other than this purchase's gives the address premium, so that this one is one too many. */
export function isDuplicatePayment(grants: readonly PremiumGrant[], purchaseId: string): boolean {
  return grants.some(
    (grant) => grant.id !== purchaseId && grant.payment !== null && isActive(grant),
  )
}

/** Whether a refund or a dispute has another state than before, rather than the same state at a later moment. */
export function isStateChange(
  known: { readonly state: RefundState | DisputeState } | null,
  merged: { readonly state: RefundState | DisputeState },
): boolean {
  return known?.state !== merged.state
}
