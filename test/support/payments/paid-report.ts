import type { PurchaseId } from '../../../domain/order.ts'
import type { SessionReport } from '../../../domain/session-report.ts'

/** The report of a session that was paid as it was asked for, but for what a test says of it. */
export function paidReport(own: Partial<SessionReport> = {}): SessionReport {
  const { amountSubtotal = 400, amountTotal = 400 } = own
  return {
    sessionId: 'cs_1',
    purchaseId: 'pur_1' as PurchaseId,
    outcome: 'paid',
    order: null,
    amountSubtotal,
    amountTotal,
    amountDiscount: Math.max(0, amountSubtotal - amountTotal),
    amountTax: 0,
    currency: 'eur',
    live: true,
    singlePayment: true,
    paymentIntentId: 'pi_1',
    url: null,
    ...own,
  }
}
