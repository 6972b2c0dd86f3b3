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

/** What is known of a refund after one more report. The order of the reports does not matter. */
export function mergeRefund(known: Refund | null, reported: Refund): Refund {
  if (!known) return reported
  const isLater = REFUND_STATES.indexOf(reported.state) > REFUND_STATES.indexOf(known.state)
  return isLater ? reported : known
}

/** A refund counts from the moment it is asked for, and no longer once it has bounced. */
export function isRefundedInFull({
  amountPaid,
  refunds,
}: {
  readonly amountPaid: number
  readonly refunds: readonly Pick<Refund, 'amount' | 'state'>[]
}): boolean {
  if (refunds.length === 0) return false
  const refunded = refunds
    .filter(({ state }) => state !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0)
  // Nothing can be refunded of a purchase that cost nothing.
  return refunded > 0 && refunded >= amountPaid
}
