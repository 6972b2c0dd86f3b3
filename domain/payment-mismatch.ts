import type { Price, Purchase, ReviewReason, SessionReport } from './purchase.ts'

/**
 * The least that a page at this price may be paid with, in minor units: less than the price only with a promotion code,
 * which may leave no less than `amountMin`.
 */
export function leastAmountOf(
  { amount }: Price,
  { allowPromotionCodes, amountMin }: { allowPromotionCodes: boolean; amountMin: number },
): number {
  return allowPromotionCodes ? Math.min(amountMin, amount) : amount
}

/**
 * Why money that a report brings gives no access: it is not what was asked for. Null where it is. What the page allowed
 * is what counts; `leastAmount` is today's, for a purchase that has none of its own.
 */
export function findMismatch(
  purchase: Purchase,
  report: SessionReport,
  { leastAmount }: { leastAmount: number },
): ReviewReason | null {
  const { price, live } = purchase
  if (!report.singlePayment) return 'mode'
  if (report.live !== live) return 'livemode'
  if (report.currency !== price.currency) return 'currency'

  const { amountSubtotal, amountTotal, amountDiscount, amountTax } = report
  const taxOnTop = amountTotal + amountDiscount - price.amount
  // Tax inside the price may be left out of the subtotal; on top it is beside it.
  const isPrice =
    (taxOnTop === 0 && amountSubtotal + amountTax === price.amount) ||
    ((taxOnTop === 0 || taxOnTop === amountTax) && amountSubtotal === price.amount)
  const paid = amountTotal - taxOnTop
  const isEnough = paid <= price.amount && paid >= (purchase.leastAmount ?? leastAmount)
  return isPrice && isEnough ? null : 'amount'
}
