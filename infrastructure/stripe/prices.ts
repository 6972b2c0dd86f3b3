import type Stripe from 'stripe'
import type { Price } from '../../domain/order.ts'
import { expectObject, notFoundAs } from './answers.ts'

export type PriceFacts = {
  readonly isActive: boolean
  readonly isOneTime: boolean
  /** Null where the price has none of its own, such as a tiered one. */
  readonly amount: Price | null
  /** Whether tax comes on top of it, where Stripe computes any; null where the account decides. */
  readonly isTaxOnTop: boolean | null
  /** The currencies beside that of `amount` in which Stripe could show the price, in lower case. */
  readonly otherCurrencies: readonly string[]
}

/** Nothing can be sold at the price, or in this way, for a reason that only an operator can end. */
export class UnusablePrice extends Error {
  override readonly name = 'UnusablePrice'

  constructor(
    message: string,
    readonly setting = 'STRIPE_PRICE_ID',
  ) {
    super(message)
  }
}

/** The price for the checkout. Throws `UnusablePrice` with the reason where Alibi cannot sell at it. */
export async function readPrice(stripe: Stripe, id: string): Promise<Price> {
  const facts = await notFoundAs(readPriceFacts(stripe, id), null)
  if (!facts) throw new UnusablePrice(`Stripe knows no price ${id}`)
  const { isActive, isOneTime, amount } = facts
  if (!isActive) throw new UnusablePrice(`the price ${id} is not active`)
  if (!isOneTime) throw new UnusablePrice(`the price ${id} is not a one-time price`)
  if (!amount) throw new UnusablePrice(`the price ${id} has no amount of its own`)
  return amount
}

const TAX_ON_TOP: Readonly<Record<string, boolean>> = { exclusive: true, inclusive: false }

/** The facts of a price that matter here, usable or not: https://docs.stripe.com/api/prices/object. */
export async function readPriceFacts(stripe: Stripe, id: string): Promise<PriceFacts> {
  const answer = await stripe.prices.retrieve(id, { expand: ['currency_options'] })
  const price = expectObject(answer, 'price', id)
  const { active: isActive, type, unit_amount: amount, currency } = price
  return {
    isActive,
    isOneTime: type === 'one_time',
    amount: amount ? { amount, currency } : null,
    isTaxOnTop: TAX_ON_TOP[price.tax_behavior ?? ''] ?? null,
    // Stripe lists the price's own currency among them.
    otherCurrencies: Object.keys(price.currency_options ?? {}).filter((one) => one !== currency),
  }
}
