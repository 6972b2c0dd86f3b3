import type { Order, OrderSeal, PurchaseId } from './order.ts'

/**
 * `expired`: no payment came in time. `failed`: the money was promised and did not come. `unpaid`: the buyer has yet to
 * pay, such as a voucher; what only notifies of it cannot tell it from `processing`.
 */
export type SessionOutcome = 'open' | 'unpaid' | 'processing' | 'expired' | 'failed' | 'paid'

/** What the provider says about one of its sessions. */
export type SessionReport = {
  readonly sessionId: string
  /** Null when the session does not name one of our purchases. */
  readonly purchaseId: PurchaseId | null
  readonly outcome: SessionOutcome
  /** Null unless this very service made the session, and it says what was ordered. */
  readonly order: (Order & { readonly seal: OrderSeal }) | null
  /** In minor units, before and after vouchers and tax. */
  readonly amountSubtotal: number
  readonly amountTotal: number
  /** How much vouchers have taken off, and how much of the total is tax, be it in the price or on top of it. */
  readonly amountDiscount: number
  readonly amountTax: number
  readonly currency: string
  readonly live: boolean
  /** Whether it is a single payment, rather than a subscription or a saved card. */
  readonly singlePayment: boolean
  readonly paymentIntentId: string | null
  /** The hosted payment page. Null once it is closed. */
  readonly url: string | null
}
