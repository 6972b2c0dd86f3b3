import type Stripe from 'stripe'
import type {
  CheckoutSession,
  ListPage,
  ListWindow,
  Log,
  PaymentCalls,
} from '../../application/ports.ts'
import type { Language } from '../../domain/language.ts'
import { type Price, SESSION_ID } from '../../domain/order.ts'
import type { Purchase } from '../../domain/purchase.ts'
import type { SessionReport } from '../../domain/session-report.ts'
import type { StripeProduct, StripeTerms } from '../config/payment-settings.ts'
import type { OrderSeals } from '../secrets/order-seals.ts'
import { expectObject, isInvalidRequest, isMissing, WRONG_MODE_CODES } from './answers.ts'
import { toSeconds } from './objects.ts'
import { readPage, windowParams } from './pages.ts'
import { UnusablePrice } from './prices.ts'
import {
  orderMetadata,
  type ReportSession,
  type ReturnUrls,
  successUrl,
} from './session-reports.ts'

// Payment pages and what becomes of them: https://docs.stripe.com/api/checkout/sessions.

/** What is sold, and what Stripe is to do with every payment of it. */
export type Offer = { readonly product: StripeProduct; readonly terms: StripeTerms }

type Sale = Offer & {
  readonly purchase: Purchase
  readonly returnUrls: ReturnUrls
  readonly seals: OrderSeals
}

/** `unknown` has the parameters that this account does not know, and that say `off`: it is off there in any case. */
type Account = { readonly unknown: Set<string>; readonly log: Log }

type Params = Stripe.Checkout.SessionCreateParams

const WITH_PAYMENT_INTENT = { expand: ['payment_intent'] }

/** Throws `UnusablePrice`, with the setting to look at, where Stripe refuses for good what is sold, or how. */
export async function createSession(
  stripe: Stripe,
  sale: Sale,
  account: Account,
): Promise<CheckoutSession> {
  const { id, url } = await createAccepted(stripe, sessionParams(sale), {
    key: sale.purchase.id,
    offer: sale,
    ...account,
  })
  if (!SESSION_ID.test(id) || url === null || !isWebUrl(url)) {
    throw new Error('a new session without an id or a page of its own')
  }
  return { sessionId: id, checkoutUrl: url }
}

/** What Stripe makes of a page at this price that nobody is sent to. It is ended at once. */
export async function trySession(
  stripe: Stripe,
  offer: Offer,
  { price, now }: { price: Price; now: Date },
): Promise<Stripe.Checkout.Session> {
  const params = {
    ...offerParams(offer, price),
    expires_at: toSeconds(now) + TRIAL_S,
    success_url: 'https://alibi.invalid/',
  }
  const account = { unknown: new Set<string>(), log() {} }
  const session = await createAccepted(stripe, params, { key: null, offer, ...account })
  await stripe.checkout.sessions.expire(session.id)
  return session
}

/** Stripe takes no less than half an hour by its own clock. */
const TRIAL_S = 33 * 60

/** Asks once more without what Stripe does not take and can do without. A refusal is remembered under its own key. */
async function createAccepted(
  stripe: Stripe,
  params: Params,
  { key, offer, unknown, log }: { key: string | null; offer: Offer } & Account,
): Promise<Stripe.Checkout.Session> {
  const left = new Set(unknown)
  for (;;) {
    const asked = Object.entries(params).filter(([name]) => !left.has(name))
    const idempotencyKey =
      key === null ? {} : { idempotencyKey: [key, ...[...left].sort()].join(':') }
    try {
      const answer = await stripe.checkout.sessions.create(
        Object.fromEntries(asked) as Params,
        idempotencyKey,
      )
      return expectObject(answer, 'checkout.session')
    } catch (error) {
      if (!isInvalidRequest(error) || isOfOurOwn(error)) throw error
      const name = error.param?.split('[')[0] ?? ''
      if (left.has(name) || !isDispensable(params, name)) throw unusable(error, offer)
      left.add(name)
      if (OF_THE_BUYER.includes(name)) continue
      if (!unknown.has(name)) log('checkout.parameter_unknown', { parameter: name })
      unknown.add(name)
    }
  }
}

/** Whether it is about the key, or about our clock, and not about what is sold. */
function isOfOurOwn({ code, param }: Stripe.errors.StripeInvalidRequestError): boolean {
  return WRONG_MODE_CODES.includes(code) || param === 'expires_at'
}

/** They only spare the buyer a line to type, or a click. */
const OF_THE_BUYER: readonly string[] = ['customer_email', 'locale']

function isDispensable(params: Params, name: string): boolean {
  if (OF_THE_BUYER.includes(name)) return true
  const isSwitch =
    name === 'managed_payments' || name === 'automatic_tax' || name === 'invoice_creation'
  return isSwitch && params[name]?.enabled === false
}

function unusable(
  { code, param }: Stripe.errors.StripeInvalidRequestError,
  { product, terms }: Offer,
): UnusablePrice {
  const [root] = param?.split('[') ?? []
  const settingOf: Readonly<Record<string, string>> = {
    managed_payments: 'STRIPE_MANAGED_PAYMENTS',
    automatic_tax: 'STRIPE_TAX',
    invoice_creation: 'STRIPE_INVOICES',
    currency: 'PREMIUM_CURRENCY',
  }
  const named = param?.includes('tax_code') ? 'PRODUCT_TAX_CODE' : settingOf[root ?? '']
  const sold = 'priceId' in product ? 'STRIPE_PRICE_ID' : 'PREMIUM_PRICE'
  // Stripe names no parameter where it refuses to be the seller of what is sold.
  const setting = named ?? (terms.managedPayments && !param ? 'STRIPE_MANAGED_PAYMENTS' : sold)
  const detail = [code, param].filter(Boolean).join(', ')
  return new UnusablePrice(`Stripe refuses the payment page${detail && `: ${detail}`}`, setting)
}

/** Depends on nothing that changes between two tries: Stripe refuses a key that comes with other parameters. */
function sessionParams({ purchase, returnUrls, seals, ...offer }: Sale): Params {
  const { price, leastAmount } = purchase
  return {
    ...offerParams(offer, price),
    customer_email: purchase.email,
    locale: LOCALES[purchase.language] ?? purchase.language,
    client_reference_id: purchase.id,
    metadata: orderMetadata(purchase, seals),
    payment_intent_data: { metadata: { purchase_id: purchase.id } },
    expires_at: toSeconds(purchase.expiresAt),
    // Stripe puts the id in place of the braces.
    success_url: successUrl(returnUrls, '{CHECKOUT_SESSION_ID}'),
    cancel_url: returnUrls.cancel,
    ...(leastAmount !== null && leastAmount < price.amount ? { allow_promotion_codes: true } : {}),
  }
}

/** Where Stripe has no page in the language, the browser's decides. */
const LOCALES: { readonly [code in Language]?: Params['locale'] } = { ar: 'auto', hi: 'hi-IN' }

// Why: docs/decisions.md#every-payment-page-says-what-is-off
function offerParams({ product, terms }: Offer, { amount, currency }: Price): Params {
  const { managedPayments, tax, invoices, taxCode } = terms
  const code = taxCode === null ? {} : { tax_code: taxCode }
  const item =
    'priceId' in product
      ? { price: product.priceId }
      : {
          price_data: {
            currency,
            unit_amount: amount,
            tax_behavior: 'inclusive' as const,
            product_data: { name: product.name, ...code },
          },
        }
  return {
    mode: 'payment',
    // Otherwise a price with several currencies would be shown in that of the buyer's country.
    currency,
    line_items: [{ quantity: 1, ...item }],
    // Otherwise buyers abroad would pay in another currency than the one that was asked for.
    adaptive_pricing: { enabled: false },
    managed_payments: { enabled: managedPayments },
    // What the seller decides; as the seller Stripe wants to be told nothing of it.
    ...(managedPayments
      ? {}
      : { automatic_tax: { enabled: tax }, invoice_creation: { enabled: invoices } }),
  }
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}

export async function readSession(
  stripe: Stripe,
  sessionId: string,
  reportSession: ReportSession,
): Promise<SessionReport | null> {
  // Any other text would end up in the path of the request.
  if (!SESSION_ID.test(sessionId)) return null
  return reportSession(await retrieveSession(stripe, sessionId))
}

async function retrieveSession(stripe: Stripe, id: string): Promise<Stripe.Checkout.Session> {
  const answer = await stripe.checkout.sessions.retrieve(id, WITH_PAYMENT_INTENT)
  return expectObject(answer, 'checkout.session', id)
}

export async function expireSession(
  stripe: Stripe,
  sessionId: string,
  reportSession: ReportSession,
): Promise<SessionReport | null> {
  if (!SESSION_ID.test(sessionId)) return null
  try {
    const answer = await stripe.checkout.sessions.expire(sessionId, WITH_PAYMENT_INTENT)
    return closedReport(reportSession(expectObject(answer, 'checkout.session', sessionId)))
  } catch (error) {
    if (!isInvalidRequest(error) || isMissing(error)) throw error
    // Only an open session can be expired: this one has ended in another way.
    const session = await retrieveSession(stripe, sessionId)
    const report = reportSession(session)
    const isCanceled = report.outcome === 'unpaid' && (await cancelIntent(stripe, report))
    return closedReport(isCanceled ? reportSession(session, 'expired') : report)
  }
}

/** Whether no money will come any more. */
async function cancelIntent(
  stripe: Stripe,
  { paymentIntentId }: Pick<SessionReport, 'paymentIntentId'>,
): Promise<boolean> {
  if (paymentIntentId === null) return false
  try {
    await stripe.paymentIntents.cancel(paymentIntentId)
    return true
  } catch (error) {
    // The buyer is paying it at this moment, or Stripe lets nobody cancel it.
    if (isInvalidRequest(error)) return false
    throw error
  }
}

function closedReport(report: SessionReport): SessionReport {
  if (report.outcome === 'open') throw new Error('the session still takes money')
  return report
}

export async function findSessions(
  stripe: Stripe,
  { until, ...window }: Parameters<PaymentCalls['findSessions']>[0],
  reportSession: ReportSession,
): Promise<ListPage<SessionReport>> {
  const params = windowParams(window)
  const created = { ...params.created, lte: toSeconds(until) }
  return listSessions(stripe, { ...params, created }, reportSession)
}

export async function findCompletedSessions(
  stripe: Stripe,
  window: ListWindow,
  reportSession: ReportSession,
): Promise<ListPage<SessionReport>> {
  return listSessions(stripe, { ...windowParams(window), status: 'complete' }, reportSession)
}

async function listSessions(
  stripe: Stripe,
  params: Stripe.Checkout.SessionListParams,
  reportSession: ReportSession,
): Promise<ListPage<SessionReport>> {
  // Otherwise money that bounced would seem to be on its way.
  const expand = ['data.payment_intent']
  const answer = await stripe.checkout.sessions.list({ ...params, expand })
  return readPage(answer, 'checkout.session', (session) => {
    if (!SESSION_ID.test(session.id)) throw new Error('a session without an id of a session')
    return reportSession(session)
  })
}
