import type Stripe from 'stripe'
import {
  booleanOf,
  type Form,
  formOf,
  integerOf,
  refuseUnknown,
  requiredText,
  textOf,
} from './form.ts'
import { invalidRequest, missingResource } from './refusal.ts'

/** What an account does with a session that says nothing of it, and what it knows. Accounts differ. */
export type Defaults = {
  managedPayments: boolean
  automaticTax: boolean
  /** Of a price that has none of its own. */
  taxBehavior: 'inclusive' | 'exclusive'
  /** Parameters that it does not know yet. */
  unknownParameters: readonly string[]
}

/** The rate of every tax here: a fifth of what is taxed. */
const TAX_DIVISOR = 5

/** How much of an amount is tax, or how much is added to it. */
export function taxOn(amount: number, behavior: Defaults['taxBehavior']): number {
  return Math.round(amount / (behavior === 'inclusive' ? TAX_DIVISOR + 1 : TAX_DIVISOR))
}

/** What was asked for, once it has passed Stripe's checks. */
export type SessionOrder = {
  readonly amount: number
  readonly currency: string
  readonly customerEmail: string | null
  readonly clientReferenceId: string | null
  readonly metadata: Record<string, string>
  readonly intentMetadata: Record<string, string>
  readonly expiresAt: number
  readonly successUrl: string
  readonly cancelUrl: string | null
  readonly allowPromotionCodes: boolean
  readonly adaptivePricing: boolean
  readonly locale: string | null
  readonly managedPayments: boolean
  readonly automaticTax: boolean
  readonly invoices: boolean
  readonly taxBehavior: Defaults['taxBehavior']
}

const PARAMETERS = [
  'mode',
  'currency',
  'line_items',
  'customer_email',
  'client_reference_id',
  'metadata',
  'payment_intent_data',
  'expires_at',
  'success_url',
  'cancel_url',
  'adaptive_pricing',
  'locale',
  'managed_payments',
  'automatic_tax',
  'invoice_creation',
  'allow_promotion_codes',
  'expand',
]
const CURRENCIES = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()))
// https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
const AMOUNT_MIN: Readonly<Record<string, number>> = { eur: 50, usd: 50, gbp: 30, jpy: 50 }
const AMOUNT_MAX = 99_999_999
const LIFETIME_MIN_S = 30 * 60
const LIFETIME_MAX_S = 24 * 3600

/** Throws a `Refusal` wherever Stripe would; https://docs.stripe.com/api/checkout/sessions/create. */
export function readSessionOrder(
  form: Form,
  {
    prices,
    defaults,
    now,
  }: { prices: ReadonlyMap<string, Stripe.Price>; defaults: Defaults; now: number },
): SessionOrder {
  refuseUnknown(
    form,
    PARAMETERS.filter((name) => !defaults.unknownParameters.includes(name)),
  )
  const mode = requiredText(form, 'mode')
  if (mode !== 'payment') throw invalidRequest(`Not played here: mode ${mode}`, { param: 'mode' })
  const { amount, currency, lines } = readLineItems(form, prices)
  const managedPayments = enabledIn(form, 'managed_payments') ?? defaults.managedPayments
  if (managedPayments) refuseUnmanaged(form, lines)
  return {
    amount,
    currency,
    locale: textOf(form, 'locale'),
    managedPayments,
    automaticTax: managedPayments || (enabledIn(form, 'automatic_tax') ?? defaults.automaticTax),
    invoices: managedPayments || (enabledIn(form, 'invoice_creation') ?? false),
    taxBehavior: lines[0]?.taxBehavior ?? defaults.taxBehavior,
    customerEmail: readEmail(form),
    clientReferenceId: readReference(form),
    metadata: readMetadata(form),
    intentMetadata: readMetadata(formOf(form, 'payment_intent_data') ?? {}),
    expiresAt: readExpiry(form, now),
    successUrl: checkedUrl('success_url', requiredText(form, 'success_url')),
    cancelUrl: checkedUrl('cancel_url', textOf(form, 'cancel_url')),
    allowPromotionCodes: booleanOf(form, 'allow_promotion_codes') ?? false,
    adaptivePricing: enabledIn(form, 'adaptive_pricing') ?? true,
  }
}

function enabledIn(form: Form, name: string): boolean | null {
  return booleanOf(formOf(form, name) ?? {}, 'enabled')
}

/** As the seller Stripe decides about tax and invoices, and takes on only what it has said it would. */
function refuseUnmanaged(form: Form, lines: readonly { readonly isEligible: boolean }[]): void {
  const decided = ['automatic_tax', 'invoice_creation'].find((name) => form[name] !== undefined)
  if (decided !== undefined) {
    throw invalidRequest(`${decided} cannot be used with Managed Payments.`, { param: decided })
  }
  if (lines.every(({ isEligible }) => isEligible)) return
  throw invalidRequest('The tax code is missing, or not eligible for Managed Payments.')
}

function readLineItems(form: Form, prices: ReadonlyMap<string, Stripe.Price>) {
  const items = Object.values(formOf(form, 'line_items') ?? {})
  if (items.length === 0) {
    throw invalidRequest('Missing required param: line_items.', { param: 'line_items' })
  }
  const wanted = textOf(form, 'currency')
  const lines = items.map((item) => readLineItem(item, { prices, wanted }))
  const currency = wanted ?? lines[0]?.currency ?? ''
  if (lines.some((line) => line.currency !== currency)) {
    throw invalidRequest('All line items must have the same currency.', { param: 'line_items' })
  }
  const amount = lines.reduce((sum, line) => sum + line.amount, 0)
  if (amount < (AMOUNT_MIN[currency] ?? 1)) {
    throw invalidRequest('The total amount due is too small.', { code: 'amount_too_small' })
  }
  if (amount > AMOUNT_MAX) {
    throw invalidRequest('The total amount due is too large.', { code: 'amount_too_large' })
  }
  return { amount, currency, lines }
}

type Prices = {
  readonly prices: ReadonlyMap<string, Stripe.Price>
  /** The currency of the session, where one is asked for. */
  readonly wanted: string | null
}

function readLineItem(item: string | Form, { prices, wanted }: Prices) {
  if (typeof item === 'string') throw invalidRequest('Invalid object', { param: 'line_items' })
  refuseUnknown(item, ['price', 'price_data', 'quantity'], 'line_items[0]')
  const quantity = integerOf(item, 'quantity') ?? 0
  if (quantity < 1) throw invalidRequest('Invalid quantity', { param: 'line_items[0][quantity]' })

  const priceId = textOf(item, 'price')
  const { amount, ...line } =
    priceId === null ? readPriceData(item) : lookUpPrice(priceId, { prices, wanted })
  return { ...line, amount: amount * quantity }
}

function readPriceData(item: Form) {
  const data = formOf(item, 'price_data')
  if (!data) throw invalidRequest('Missing required param: line_items[0][price].')
  const known = ['currency', 'unit_amount', 'tax_behavior', 'product_data']
  refuseUnknown(data, known, 'line_items[0][price_data]')
  const product = formOf(data, 'product_data') ?? {}
  requiredText(product, 'name')
  const taxCode = textOf(product, 'tax_code')
  if (taxCode !== null && !/^txcd_\d{8}$/.test(taxCode)) {
    const param = 'line_items[0][price_data][product_data][tax_code]'
    throw invalidRequest(`Invalid tax code: ${taxCode}`, { param })
  }
  const currency = requiredText(data, 'currency')
  if (!CURRENCIES.has(currency)) {
    throw invalidRequest(`Invalid currency: ${currency}.`, { param: 'currency' })
  }
  const amount = integerOf(data, 'unit_amount')
  if (amount === null || amount < 0) {
    throw invalidRequest('Invalid non-negative integer', { param: 'unit_amount' })
  }
  const taxBehavior = behaviorOf(textOf(data, 'tax_behavior'))
  return { amount, currency, taxBehavior, isEligible: taxCode !== null }
}

function behaviorOf(text: string | null): Defaults['taxBehavior'] | null {
  return text === 'inclusive' || text === 'exclusive' ? text : null
}

/** A price of several currencies has one for each; without a wish Stripe takes that of the buyer's country. */
function lookUpPrice(priceId: string, { prices, wanted }: Prices) {
  const price = prices.get(priceId)
  if (!price) throw missingResource('price', priceId, 'line_items[0][price]')
  if (!price.active) throw invalidRequest('The price specified is inactive.')
  if (price.type !== 'one_time') {
    throw invalidRequest('You specified `payment` mode but passed a recurring price.')
  }
  const options = Object.entries(price.currency_options ?? {})
  const [currency, option] = options.find(([own]) => wanted === null || own === wanted) ?? []
  // Its product has a code that Stripe takes on.
  const line = { taxBehavior: behaviorOf(price.tax_behavior), isEligible: true }
  if (currency !== undefined) return { ...line, amount: option?.unit_amount ?? 0, currency }
  return { ...line, amount: price.unit_amount ?? 0, currency: price.currency }
}

function readEmail(form: Form): string | null {
  const email = textOf(form, 'customer_email')
  if (email !== null && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) {
    throw invalidRequest(`Invalid email address: ${email}`, { code: 'email_invalid' })
  }
  return email
}

function readReference(form: Form): string | null {
  const reference = textOf(form, 'client_reference_id')
  if (reference !== null && !/^[\w-]{1,200}$/.test(reference)) {
    throw invalidRequest('Invalid client_reference_id', { param: 'client_reference_id' })
  }
  return reference
}

function readMetadata(form: Form): Record<string, string> {
  const entries = Object.entries(formOf(form, 'metadata') ?? {}).map(([key, value]) => {
    const isFine = typeof value === 'string' && key.length <= 40 && value.length <= 500
    if (!isFine) throw invalidRequest('Invalid metadata', { param: 'metadata' })
    return [key, value] as const
  })
  if (entries.length > 50) throw invalidRequest('Too much metadata', { param: 'metadata' })
  return Object.fromEntries(entries)
}

function readExpiry(form: Form, now: number): number {
  const expiresAt = integerOf(form, 'expires_at') ?? now + LIFETIME_MAX_S
  const isInRange = expiresAt >= now + LIFETIME_MIN_S && expiresAt <= now + LIFETIME_MAX_S
  if (!isInRange) {
    throw invalidRequest(
      'The `expires_at` timestamp must be between 30 minutes and 24 hours from now.',
      { param: 'expires_at' },
    )
  }
  return expiresAt
}

function checkedUrl<Text extends string | null>(key: string, text: Text): Text {
  if (text !== null && !/^https?:\/\/[^\s]+$/.test(text)) {
    throw invalidRequest(`Not a valid URL: ${key}`, { code: 'url_invalid', param: key })
  }
  return text
}
