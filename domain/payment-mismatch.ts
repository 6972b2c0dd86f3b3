import type { Purchase, ReviewReason, SessionReport } from './purchase.ts'

/** Why money that a report brings gives no access: it is not what was asked for. Null where it is. */
export function findMismatch(
  { price, live }: Purchase,
  report: SessionReport,
  { allowPromotionCodes, amountMin }: { allowPromotionCodes: boolean; amountMin: number },
): ReviewReason | null {
  if (!report.singlePayment) return 'mode'
  if (report.live !== live) return 'livemode'
  if (report.currency !== price.currency) return 'currency'

  const { amountTotal } = report
  const hasDiscount = allowPromotionCodes && amountTotal < price.amount && amountTotal >= amountMin
  const isWhatWasAsked = amountTotal === price.amount || hasDiscount
  return report.amountSubtotal === price.amount && isWhatWasAsked ? null : 'amount'
}
