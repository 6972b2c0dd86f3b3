import type { Price } from '../../domain/purchase.ts'
import { type Finding, findingsOn, type Outcome, reportNoAnswer } from './finding.ts'
import { checkWebhook, type EndpointFacts } from './webhook.ts'

export type StripeFacts = {
  readonly isKeyLive: boolean
  /** What the key may not do, in the words of Stripe's list of permissions. */
  readonly key: Outcome<{
    readonly unreadable: readonly string[]
    readonly unwritable: readonly string[]
  }>
  /** Null where the price is made at the checkout. The value of `found` is null when Stripe knows no such price. */
  readonly price: { readonly id: string; readonly found: Outcome<PriceFacts | null> } | null
  /** What Stripe has made of a payment page; null where there is no price to make one for. */
  readonly page: Outcome<PageFacts> | null
  readonly webhook: EndpointFacts
}

/** A page as Stripe has made it, or the setting for which it makes none. */
export type PageFacts =
  | { readonly refusal: string; readonly setting: string }
  | {
      readonly refusal: null
      /** Whether Stripe is the seller. */
      readonly isManaged: boolean
      readonly isTaxed: boolean
      readonly hasInvoice: boolean
    }

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

/** The page on which operators make the keys of both modes. */
const KEYS_PAGE = 'https://dashboard.stripe.com/apikeys'
const STRIPE = {
  provider: 'Stripe',
  setting: 'STRIPE_SECRET_KEY',
  keysPage: KEYS_PAGE,
  statusPage: 'https://status.stripe.com',
}

/** `null` is the sandbox provider. */
export function checkStripe(
  facts: StripeFacts | null,
  { formatPrice }: { formatPrice: (price: Price) => string },
): readonly Finding[] {
  if (!facts) return [findingsOn('stripe').ok('not in use: the sandbox provider takes no money')]
  const { isKeyLive, key, price, page, webhook } = facts
  const found = checkKey(isKeyLive, key)
  // Every other request with that key has failed for the same reason.
  if (key.kind !== 'answered') {
    const names = ['price', 'checkout', 'webhook']
    return [...found, ...names.map((name) => findingsOn(name).skipped('Stripe told nothing'))]
  }
  return [
    ...found,
    checkPrice(price, formatPrice),
    checkPage(page, price),
    ...checkWebhook(webhook),
  ]
}

function checkPage(page: StripeFacts['page'], price: StripeFacts['price']): Finding {
  const { ok, failed, skipped } = findingsOn('checkout')
  if (!page) return skipped('no page without a price')
  if (page.kind === 'refused') return skipped('the key may not make a payment page')
  if (page.kind === 'unreachable') {
    return failed(`no payment page could be tried: ${page.reason}`, 'try again')
  }
  const facts = page.value
  if (facts.refusal !== null) return failed(facts.refusal, `mend ${facts.setting}`)
  const isOnTop = price?.found.kind === 'answered' ? price.found.value?.isTaxOnTop : false
  const place = isOnTop === null ? 'as the account has it' : isOnTop ? 'on top' : 'in the price'
  const seller = facts.isManaged ? 'Stripe sells in its own name' : 'you are the seller'
  const tax = facts.isTaxed ? `tax is computed, ${place}` : 'no tax is computed'
  const invoice = facts.hasInvoice ? 'an invoice for each payment' : 'no invoice'
  return ok(`Stripe makes a payment page: ${seller}, ${tax}, ${invoice}`)
}

function checkKey(isKeyLive: boolean, key: StripeFacts['key']): readonly Finding[] {
  const { ok, failed } = findingsOn('stripe')
  const mode = isKeyLive ? 'live' : 'test'
  switch (key.kind) {
    case 'refused':
    case 'unreachable':
      return [reportNoAnswer('stripe', key, STRIPE)]
    case 'answered': {
      const { unreadable, unwritable } = key.value
      const lacking = [
        ...(unreadable.length > 0 ? [`read ${unreadable.join(', ')}`] : []),
        ...(unwritable.length > 0 ? [`write ${unwritable.join(', ')}`] : []),
      ]
      if (lacking.length === 0) return [ok(`the key works, in ${mode} mode`)]
      return [
        failed(
          `the key works, in ${mode} mode, but may not ${lacking.join(', and may not ')}`,
          `give the restricted key these permissions at ${KEYS_PAGE}`,
        ),
      ]
    }
  }
}

function checkPrice(price: StripeFacts['price'], formatPrice: (price: Price) => string): Finding {
  const { ok, warning, failed } = findingsOn('price')
  if (!price) return ok('made at the checkout, from PREMIUM_PRICE and PREMIUM_CURRENCY')

  const { id, found } = price
  if (found.kind === 'refused') {
    return failed(
      `the key may not read ${id}`,
      `give the key read access to Prices at ${KEYS_PAGE}`,
    )
  }
  if (found.kind === 'unreachable') {
    return failed(`${id} cannot be looked up: ${found.reason}`, 'try again')
  }
  const another = 'set STRIPE_PRICE_ID to the id of a one-time price that is active'
  if (!found.value) {
    return failed(
      `Stripe knows no ${id} in the mode of the key`,
      `${another}; live and test mode have prices of their own`,
    )
  }
  const { isActive, isOneTime, amount, otherCurrencies } = found.value
  if (!isActive) return failed(`${id} is not active`, `${another}, or make it active again`)
  if (!isOneTime) return failed(`${id} is paid again and again`, another)
  if (!amount) return failed(`${id} has no amount of its own`, another)
  if (otherCurrencies.length > 0) {
    const names = otherCurrencies.map((currency) => currency.toUpperCase()).join(', ')
    return warning(
      `${id} has prices in other currencies (${names}): all buyers are asked for ${formatPrice(amount)}`,
      'take the other currencies away from the price at Stripe, so that nobody expects them',
    )
  }
  return ok(`${formatPrice(amount)}, ${id}`)
}
