import { advance, linkPurchase, type Purchase } from './purchase.ts'
import type { SessionReport } from './session-report.ts'

/** The order that a session names: all that is left of a purchase whose row was lost. */
export type NamedOrder = NonNullable<SessionReport['order']>

// Why: docs/decisions.md#a-payment-page-carries-its-order
/** A purchase whose row was lost, as it was when its session was made. */
export function restorePurchase(
  { seal: _, ...order }: NamedOrder,
  { live }: { live: boolean },
): Purchase {
  return { ...order, live, state: 'open', sessionId: null, paymentIntentId: null }
}

/**
 * Puts money aside that came for a lost purchase of which nothing shows that it was ordered here. For good: another
 * report of the same session cannot show it either.
 */
export function refuseOrder(restored: Purchase, report: SessionReport): Purchase {
  const amountReceived = report.amountTotal
  const seen = linkPurchase(restored, report)
  return advance(seen, { state: 'review', reviewReason: 'order', amountReceived })
}
