import { withdrawsFunds } from '../../domain/dispute.ts'
import { countDecimals } from '../../domain/money.ts'
import type { Price } from '../../domain/order.ts'
import type { OutboxMessage } from '../../domain/outbox.ts'
import { isActive, type Payment, type PremiumGrant } from '../../domain/premium-grant.ts'
import type { Purchase, ReviewReason } from '../../domain/purchase.ts'
import { isRefundedInFull } from '../../domain/refund.ts'

export const REVIEW_WORDS: Readonly<Record<ReviewReason, string>> = {
  amount: 'the amount is not what was asked for',
  currency: 'it was paid in another currency',
  mode: 'the session is not for a single payment',
  livemode: 'live and test mode do not match',
  order: 'nothing shows that it was ordered here',
}

/** `4.00 EUR`. */
export function formatPrice({ amount, currency }: Price): string {
  const decimals = countDecimals(currency)
  return `${(amount / 10 ** decimals).toFixed(decimals)} ${currency.toUpperCase()}`
}

/** An amount of the money that came for a purchase. A review may have left its currency unknown. */
export function formatReceived(purchase: Purchase, amount: number): string {
  const isUnknown = purchase.state === 'review' && purchase.reviewReason !== 'amount'
  return isUnknown
    ? `${amount} minor units`
    : formatPrice({ amount, currency: purchase.price.currency })
}

/** The amount received; where nothing was received, the amount asked for. */
export function formatPurchaseAmount(purchase: Purchase): string {
  switch (purchase.state) {
    case 'paid':
      return formatReceived(purchase, purchase.amountPaid)
    case 'review':
      return formatReceived(purchase, purchase.amountReceived)
    default:
      return formatPrice(purchase.price)
  }
}

export function describeState(purchase: Purchase): string {
  switch (purchase.state) {
    case 'paid':
      return purchase.isDuplicate ? 'paid, second payment' : 'paid'
    case 'review':
      return `review: ${purchase.reviewReason}`
    default:
      return purchase.state
  }
}

/** Whether a grant gives premium, and every reason why it does not. */
export function describeGrant(grant: PremiumGrant): string {
  if (isActive(grant)) return 'active'
  const { payment, revokedAt } = grant
  const reasons = [
    ...(revokedAt ? [`revoked ${revokedAt.toISOString()}`] : []),
    ...(payment ? describeLosses(payment) : []),
  ]
  return `not active: ${reasons.join(', ')}`
}

function describeLosses(payment: Payment): readonly string[] {
  const chargebacks = payment.disputes.filter(withdrawsFunds)
  return [
    ...(isRefundedInFull(payment) ? ['refunded in full'] : []),
    ...chargebacks.map(({ id, state }) => `chargeback ${id} ${state}`),
  ]
}

/** When it is tried next, or when it ended. */
export function describeMessage(message: OutboxMessage): string {
  switch (message.state) {
    case 'waiting':
      return `waiting, due ${message.dueAt.toISOString()}`
    case 'given_up':
      return `given up ${message.endedAt.toISOString()}: see to it yourself`
    default:
      return `${message.state} ${message.endedAt.toISOString()}`
  }
}

/** `open_purchases` as people read it: `open purchases`. */
export function spaced(name: string): string {
  return name.replaceAll('_', ' ')
}
