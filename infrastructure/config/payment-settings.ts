import { amountsTaken, formatAmount, isCurrency } from '../../domain/money.ts'
import type { Price } from '../../domain/order.ts'
import { SECURE_ORIGIN } from './origins.ts'
import { listOf, matching, oneOf, SWITCH, wholeNumber } from './setting-formats.ts'
import type { AppEnvironment, SettingFormat, SettingsSource } from './settings-source.ts'

export type PaymentConfig =
  | { readonly provider: 'sandbox'; readonly price: Price; readonly productName: string }
  | {
      readonly provider: 'stripe'
      readonly secretKey: string
      /** At least one; several while one is being rolled. */
      readonly webhookSecrets: readonly string[]
      /** Null for Stripe's own. */
      readonly apiUrl: string | null
      readonly product: StripeProduct
      readonly terms: StripeTerms
    }

/** What Stripe is to do with every payment beside taking it. What is off is said too: accounts differ. */
export type StripeTerms = {
  /** Whether Stripe is the seller. */
  readonly managedPayments: boolean
  readonly tax: boolean
  readonly invoices: boolean
  /** What Stripe taxes a price of our own as; null where it is not said. */
  readonly taxCode: string | null
}

/** What is sold: a price kept at Stripe, or one given here. */
export type StripeProduct =
  | { readonly priceId: string }
  | { readonly price: Price; readonly name: string }

/** Where Stripe is, unless the settings say otherwise. */
export const STRIPE_ORIGIN = 'https://api.stripe.com'

const DEFAULT_PRICE: Price = { amount: 400, currency: 'eur' }
const DEFAULT_NAME = 'Alibi Premium'

const EITHER_PROVIDER = oneOf(['stripe', 'sandbox'])
const ONLY_STRIPE: SettingFormat<PaymentConfig['provider']> = {
  shape: 'stripe (sandbox is for development only)',
  parse: (text) => (text === 'stripe' ? text : undefined),
}
const SECRET_KEY = matching(
  /^[sr]k_(?:test|live)_\w+$/,
  'a Stripe secret key (sk_test_…, sk_live_…) or restricted key (rk_test_…, rk_live_…)',
)
/** Whether a key is live. Which form it must have is said where it is used. */
const KEY_MODE: SettingFormat<boolean> = {
  shape: SECRET_KEY.shape,
  parse: (text) => isLiveKey(text.trim()),
}
const WEBHOOK_SECRETS = listOf(
  (text) => (/^whsec_[\w+/=-]+$/.test(text) ? text : undefined),
  'the signing secret of the Stripe webhook endpoint, whsec_…; several separated by commas',
)
const PRICE_ID = matching(/^price_\w+$/, 'the id of a Stripe price, price_…')
const CURRENCY: SettingFormat<string> = {
  shape: 'the code of a currency, three letters such as eur',
  parse: (text) => (isCurrency(text.toLowerCase()) ? text.toLowerCase() : undefined),
}
const TAX_CODE = matching(/^txcd_\d{8}$/, 'a tax code of Stripe, txcd_ and eight digits')
const PRODUCT_NAME = matching(/^(?=.*\S)\P{Cc}{1,250}$/u, '1 to 250 characters on one line')
/** 0 lets promotion codes pay for everything. */
export const AMOUNT_MIN = wholeNumber({ min: 0, max: 99_999_999 })

export function readPayment(settings: SettingsSource, environment: AppEnvironment): PaymentConfig {
  if (environment === 'development') refuseLiveKey(settings)
  const provider = readProvider(settings, environment)
  const product = readProduct(settings)
  if (provider === 'stripe') {
    return { provider, ...readStripe(settings), product, terms: readTerms(settings) }
  }

  if ('price' in product) return { provider, price: product.price, productName: product.name }
  settings.report('STRIPE_PRICE_ID needs PAYMENT_PROVIDER=stripe')
  return { provider, price: DEFAULT_PRICE, productName: DEFAULT_NAME }
}

function readProvider(
  settings: SettingsSource,
  environment: AppEnvironment,
): PaymentConfig['provider'] {
  if (environment === 'production') return settings.read('PAYMENT_PROVIDER', ONLY_STRIPE, 'stripe')
  const hasStripe = settings.isSet('STRIPE_SECRET_KEY')
  return settings.read('PAYMENT_PROVIDER', EITHER_PROVIDER, hasStripe ? 'stripe' : 'sandbox')
}

/** Development hands out the codes that lead to what was paid for. */
function refuseLiveKey(settings: SettingsSource): void {
  const isLive = settings.read('STRIPE_SECRET_KEY', KEY_MODE, false)
  if (!isLive) return
  settings.report('STRIPE_SECRET_KEY must be a test key, sk_test_… or rk_test_…, in development')
}

/** What is kept at Stripe has a price that the settings do not know. */
export function refuseHighMinimum(
  settings: Pick<SettingsSource, 'report'>,
  { payment, amountMin }: { payment: PaymentConfig; amountMin: number },
): void {
  const sold = payment.provider === 'stripe' ? payment.product : payment
  if (!('price' in sold) || amountMin <= sold.price.amount) return
  settings.report('PREMIUM_MIN_AMOUNT must be at most PREMIUM_PRICE')
}

/** Whether payments with this key move real money. */
export function isLiveKey(secretKey: string): boolean {
  return /^[sr]k_live_/.test(secretKey)
}

function readStripe(settings: SettingsSource) {
  const secretKey = settings.require('STRIPE_SECRET_KEY', SECRET_KEY, '')
  const apiUrl = settings.read<string | null>('STRIPE_API_URL', SECURE_ORIGIN, null)
  if (isLiveKey(secretKey) && apiUrl !== null && apiUrl !== STRIPE_ORIGIN) {
    settings.report(`STRIPE_API_URL must be ${STRIPE_ORIGIN}, or not set, with a live key`)
  }
  return {
    secretKey,
    webhookSecrets: settings.require('STRIPE_WEBHOOK_SECRET', WEBHOOK_SECRETS, []),
    apiUrl,
  }
}

function readTerms(settings: SettingsSource): StripeTerms {
  const managedPayments = settings.read('STRIPE_MANAGED_PAYMENTS', SWITCH, false)
  const tax = settings.read('STRIPE_TAX', SWITCH, false)
  const invoices = settings.read('STRIPE_INVOICES', SWITCH, false)
  const taxCode = settings.read<string | null>('PRODUCT_TAX_CODE', TAX_CODE, null)
  if (managedPayments && tax) {
    settings.report('STRIPE_MANAGED_PAYMENTS and STRIPE_TAX must not both be on: keep one of them')
  }
  if (settings.isSet('STRIPE_PRICE_ID')) {
    settings.refuse(
      'PRODUCT_TAX_CODE',
      'is for PREMIUM_PRICE: the product of STRIPE_PRICE_ID has its own',
    )
  } else if ((managedPayments || tax) && !settings.isSet('PRODUCT_TAX_CODE')) {
    const needs = managedPayments ? 'STRIPE_MANAGED_PAYMENTS' : 'STRIPE_TAX'
    settings.report(`PRODUCT_TAX_CODE must be ${TAX_CODE.shape}: ${needs}=on needs it`)
  }
  return { managedPayments, tax, invoices, taxCode }
}

function readProduct(settings: SettingsSource): StripeProduct {
  if (!settings.isSet('STRIPE_PRICE_ID')) {
    const price = readPrice(settings)
    return { price, name: settings.read('PREMIUM_NAME', PRODUCT_NAME, DEFAULT_NAME) }
  }

  for (const own of ['PREMIUM_PRICE', 'PREMIUM_CURRENCY', 'PREMIUM_NAME']) {
    settings.refuse(own, 'cannot be used together with STRIPE_PRICE_ID: keep one of them')
  }
  return { priceId: settings.read('STRIPE_PRICE_ID', PRICE_ID, '') }
}

function readPrice(settings: SettingsSource): Price {
  const currency = settings.read('PREMIUM_CURRENCY', CURRENCY, DEFAULT_PRICE.currency)
  const amountIn = amountFormat(currency)
  // Not every currency has the default: 400 hundredths of a forint are less than Stripe takes.
  const hasDefault = amountIn.parse(String(DEFAULT_PRICE.amount)) !== undefined
  const read = hasDefault ? settings.read : settings.require
  return { amount: read('PREMIUM_PRICE', amountIn, DEFAULT_PRICE.amount), currency }
}

function amountFormat(currency: string): SettingFormat<number> {
  const { min, max, step } = amountsTaken(currency)
  const { parse } = wholeNumber({ min, max })
  const steps = step === 1 ? '' : `, in steps of ${step}`
  return {
    shape: `an amount in minor units from ${min} (${formatAmount({ amount: min, currency }, 'en')}) to ${max}${steps}`,
    parse(text) {
      const amount = parse(text)
      return amount !== undefined && amount % step === 0 ? amount : undefined
    },
  }
}
