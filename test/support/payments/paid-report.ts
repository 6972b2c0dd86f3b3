import type { PurchaseId, SessionReport } from '../../../domain/purchase.ts'

/** The report of a session that was paid as it was asked for, but for what a test says of it. */
export function paidReport(own: Partial<SessionReport> = {}): SessionReport {
  return {
    sessionId: 'cs_1',
    purchaseId: 'pur_1' as PurchaseId,
    outcome: 'paid',
    order: null,
    amountSubtotal: 400,
    amountTotal: 400,
    currency: 'eur',
    live: true,
    singlePayment: true,
    paymentIntentId: 'pi_1',
    url: null,
    ...own,
  }
}
