import type { Brand } from './brand.ts'
import type { Email } from './email.ts'
import type { Language } from './language.ts'

/** Our own name for a purchase: Stripe's idempotency key, `client_reference_id` and `metadata.purchase_id`. */
export type PurchaseId = Brand<string, 'PurchaseId'>

/** How payment providers name a session, ours in the sandbox too. */
export const SESSION_ID = /^cs_[A-Za-z0-9_-]{1,250}$/

/** Null for what cannot be a name of ours, such as another shop's reference. */
export function readPurchaseId(text: string): PurchaseId | null {
  return /^pur_[0-9A-Za-z]{1,64}$/.test(text) ? (text as PurchaseId) : null
}

/** What is asked for: `amount` in the currency's minor unit, `currency` as a lower-case ISO 4217 code. */
export type Price = { readonly amount: number; readonly currency: string }

export function isSamePrice(left: Price, right: Price): boolean {
  return left.amount === right.amount && left.currency === right.currency
}

/** What was ordered. The provider keeps a copy with its session, so that a purchase can outlive its row here. */
export type Order = {
  readonly id: PurchaseId
  readonly email: Email
  /** The buyer's, for the mails about it. */
  readonly language: Language
  readonly price: Price
  /**
   * The least that the page may be paid with, in minor units and without tax on top: the price, where it took no
   * promotion codes. Null where a release before this was kept has made it: then today's settings decide.
   */
  readonly leastAmount: number | null
  readonly createdAt: Date
  /** When the provider stops taking money for it. */
  readonly expiresAt: Date
}

/** Whether the seal of an order shows that this service made it. `none`: a release before seals may have made it. */
export type OrderSeal = 'fits' | 'broken' | 'none'

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
