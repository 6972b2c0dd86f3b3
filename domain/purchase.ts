import { DAY_MS, MINUTE_MS } from './duration.ts'
import type { Email } from './email.ts'
import type { Language } from './language.ts'
import { isSamePrice, type Order, type Price, type PurchaseId } from './order.ts'
import { isRetained, type Reversals } from './premium-grant.ts'
import type { SessionReport } from './session-report.ts'

/**
 * How far a purchase has come. It only moves to a later one of these, in any order of the reports: paid beats closed,
 * and what was once closed is not opened again.
 */
export const PURCHASE_STATES = ['open', 'processing', 'closed', 'review', 'paid'] as const
export type PurchaseState = (typeof PURCHASE_STATES)[number]

/**
 * Why money that arrived gave no access: the session is not what was asked for. `order`: the purchase is known from its
 * session alone, and nothing shows that it was ordered here.
 */
export type ReviewReason = 'amount' | 'currency' | 'mode' | 'livemode' | 'order'

export type Purchase = PurchaseTerms & PurchaseProgress

/** What was asked for, and what it is called here and at the provider. */
type PurchaseTerms = Order & {
  /** Whether real money was asked for, or a test mode's. */
  readonly live: boolean
  /** Null until the provider has answered with its session. */
  readonly sessionId: string | null
  /** Joins refunds and disputes to the purchase. Null until money moves, and for ever when none does. */
  readonly paymentIntentId: string | null
}

export type PurchaseProgress =
  | { readonly state: 'open' | 'processing' | 'closed' }
  | {
      readonly state: 'review'
      readonly reviewReason: ReviewReason
      /** In minor units of the session's own currency. */
      readonly amountReceived: number
    }
  | {
      readonly state: 'paid'
      readonly paidAt: Date
      /** In minor units, after vouchers. */
      readonly amountPaid: number
      /** Whether another payment gave the address premium when this one came. */
      readonly isDuplicate: boolean
      /** When an operator took back the access that it gave. */
      readonly revokedAt: Date | null
    }

/** Stripe wants at least 30 minutes from its own clock; the rest is room for retries and clocks that differ. */
const SESSION_LIFETIME_MS = 33 * MINUTE_MS
/** A page that closes while the buyer types a card number is worse than a new one. */
const REUSE_MARGIN_MS = 5 * MINUTE_MS
/** After this long the provider no longer takes the same `expiresAt`, and no buyer waits for the answer. */
const CREATION_WINDOW_MS = MINUTE_MS

export function draftPurchase(draft: {
  id: PurchaseId
  email: Email
  language: Language
  price: Price
  leastAmount?: number | null
  live: boolean
  now: Date
}): Purchase {
  const { now, leastAmount = null, ...asked } = draft
  return {
    ...asked,
    leastAmount,
    state: 'open',
    createdAt: now,
    // Providers count in whole seconds.
    expiresAt: new Date(Math.floor((now.getTime() + SESSION_LIFETIME_MS) / 1000) * 1000),
    sessionId: null,
    paymentIntentId: null,
  }
}

/** The one purchase an address can pay at this moment. */
export function findOpenPurchase(purchases: readonly Purchase[]): Purchase | null {
  return purchases.find(({ state }) => state === 'open') ?? null
}

/** Whether there is nothing to buy, as far as is stored: money is on its way, or waits for an operator. */
export function hasPaymentUnderWay({
  purchases,
  ...reversals
}: Reversals & { purchases: readonly Purchase[] }): boolean {
  return purchases.some(
    (purchase) => purchase.state === 'processing' || awaitsReview(purchase, reversals),
  )
}

/** Whether an operator has to look at it, because it has money that was not asked for. */
export function awaitsReview(purchase: Purchase, reversals: Reversals): boolean {
  if (purchase.state !== 'review' || purchase.amountReceived === 0) return false
  return isRetained({
    amountPaid: purchase.amountReceived,
    ...reversalsOf(purchase, reversals),
  })
}

/** Those that are about this purchase's own payment. */
export function reversalsOf(
  { paymentIntentId }: Purchase,
  { refunds, disputes }: Reversals,
): Reversals {
  const isOwn = (reversal: { paymentIntentId: string }) =>
    reversal.paymentIntentId === paymentIntentId
  return { refunds: refunds.filter(isOwn), disputes: disputes.filter(isOwn) }
}

/** Whether the session that is open may be handed out again at today's price. */
export function isReusable(purchase: Purchase, price: Price, now: Date): boolean {
  return (
    isSamePrice(purchase.price, price) &&
    purchase.expiresAt.getTime() - now.getTime() > REUSE_MARGIN_MS
  )
}

/** Whether the provider may still be asked, under the same idempotency key, for a session it never confirmed. */
export function canStillBeCreated(purchase: Purchase, now: Date): boolean {
  return now.getTime() - purchase.createdAt.getTime() <= CREATION_WINDOW_MS
}

/** The provider answered with its session. A purchase that was closed in the meantime stays closed. */
export function attachSession(purchase: Purchase, sessionId: string): Purchase {
  return purchase.sessionId === null ? { ...purchase, sessionId } : purchase
}

/** Longer than any debit takes. */
const PROCESSING_MAX_MS = 30 * DAY_MS

/**
 * Whether to give up a purchase of which the provider knows no session: it never confirmed one, or the key is another
 * account's. Should it be paid all the same, paid beats closed.
 */
export function isAbandoned({ state, createdAt, expiresAt }: Purchase, now: Date): boolean {
  if (state === 'open') return expiresAt <= now
  return state === 'processing' && now.getTime() - createdAt.getTime() > PROCESSING_MAX_MS
}

export function closePurchase(purchase: Purchase): Purchase {
  return advance(purchase, { state: 'closed' })
}

/** Whether a report is about this purchase, rather than about another session that merely names it. */
export function isReportOf(report: SessionReport, purchase: Purchase): boolean {
  return purchase.sessionId === null
    ? report.purchaseId === purchase.id
    : report.sessionId === purchase.sessionId
}

/**
 * Takes a report into account. Any order and any repetition of the same reports gives the same purchase. A report that
 * brings nothing new returns the same object. `leastAmount` is today's, for a purchase that has none of its own.
 */
export function settlePurchase(
  purchase: Purchase,
  report: SessionReport,
  { leastAmount, isDuplicate, now }: { leastAmount: number; isDuplicate: boolean; now: Date },
): Purchase {
  const seen = linkPurchase(purchase, report)
  // What it was measured against is not known to be ours, and another report does not change that.
  if (seen.state === 'review' && seen.reviewReason === 'order') return seen
  if (report.outcome !== 'paid') return advance(seen, { state: STATE_AFTER[report.outcome] })

  const { amountTotal } = report
  const reviewReason = findMismatch(purchase, report, { leastAmount })
  if (reviewReason) {
    return advance(seen, { state: 'review', reviewReason, amountReceived: amountTotal })
  }
  return advance(seen, {
    state: 'paid',
    paidAt: now,
    amountPaid: amountTotal,
    isDuplicate,
    revokedAt: null,
  })
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

const STATE_AFTER = {
  open: 'open',
  unpaid: 'processing',
  processing: 'processing',
  expired: 'closed',
  failed: 'closed',
} as const

/** Keeps a payment that is no longer one too many, such as when the bank took the first one back. */
export function acceptDuplicate(purchase: Purchase): Purchase {
  const isDuplicate = purchase.state === 'paid' && purchase.isDuplicate
  return isDuplicate ? { ...purchase, isDuplicate: false } : purchase
}

/**
 * Adds the provider's ids to the purchase. Of two PaymentIntents the one that was paid counts, on which refunds and
 * disputes hang. A report that brings nothing new returns the same object.
 */
export function linkPurchase(purchase: Purchase, report: SessionReport): Purchase {
  const sessionId = purchase.sessionId ?? report.sessionId
  const paymentIntentId = paidIntentOf(purchase, report)
  const isLinked = sessionId === purchase.sessionId && paymentIntentId === purchase.paymentIntentId
  return isLinked ? purchase : { ...purchase, sessionId, paymentIntentId }
}

function paidIntentOf(purchase: Purchase, report: SessionReport): string | null {
  const isFirstToBePaid = report.outcome === 'paid' && !wasPaid(purchase)
  const [preferred, other] = isFirstToBePaid ? [report, purchase] : [purchase, report]
  return preferred.paymentIntentId ?? other.paymentIntentId
}

/** Whether money has come for it, accepted or put aside. */
function wasPaid({ state }: Purchase): boolean {
  return state === 'paid' || state === 'review'
}

/** Moves a purchase to a later state; towards an earlier one it stays as it is. */
export function advance(purchase: Purchase, progress: PurchaseProgress): Purchase {
  const isLater = PURCHASE_STATES.indexOf(progress.state) > PURCHASE_STATES.indexOf(purchase.state)
  return isLater ? { ...termsOf(purchase), ...progress } : purchase
}

/** The purchase without the fields of its present state. */
function termsOf(purchase: Purchase): PurchaseTerms {
  const { id, email, language, price, leastAmount, live, createdAt, expiresAt } = purchase
  const { sessionId, paymentIntentId } = purchase
  const order = { id, email, language, price, leastAmount, createdAt, expiresAt }
  return { ...order, live, sessionId, paymentIntentId }
}
