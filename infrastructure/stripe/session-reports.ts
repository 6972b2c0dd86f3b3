import type Stripe from 'stripe'
import { findEmail } from '../../domain/email.ts'
import { findLanguage } from '../../domain/language.ts'
import {
  type Order,
  type OrderSeal,
  type Price,
  type PurchaseId,
  readPurchaseId,
} from '../../domain/order.ts'
import type { SessionOutcome, SessionReport } from '../../domain/session-report.ts'
import type { OrderSeals } from '../secrets/order-seals.ts'
import { idOf, toDate } from './objects.ts'

/**
 * A session as Stripe shows it (https://docs.stripe.com/api/checkout/sessions/object), with the fields that Alibi
 * reads, so that the sandbox can make such objects too.
 */
export type SessionObject = Pick<
  Stripe.Checkout.Session,
  | 'id'
  | 'object'
  | 'amount_subtotal'
  | 'amount_total'
  | 'client_reference_id'
  | 'created'
  | 'currency'
  | 'expires_at'
  | 'livemode'
  | 'metadata'
  | 'mode'
  | 'payment_status'
  | 'status'
  | 'success_url'
  | 'total_details'
  | 'url'
> & { payment_intent: string | Pick<Stripe.PaymentIntent, 'id' | 'status'> | null }

/** The pages that buyers come back to: the address of `success` names the session, the one of `cancel` does not. */
export type ReturnUrls = { readonly success: string; readonly cancel: string }

/** How a session is reported: with the outcome that an event has, or with what the session says of itself. */
export type ReportSession = (session: SessionObject, outcome?: SessionOutcome) => SessionReport

export function sessionReports({
  returnUrls,
  seals,
}: {
  returnUrls: ReturnUrls
  seals: OrderSeals
}): ReportSession {
  return (session, outcome = outcomeOf(session)) => ({
    sessionId: session.id,
    purchaseId: purchaseIdOf(session),
    outcome,
    // Only where no purchase is known of the session is it asked for, and to check a seal takes some microseconds.
    get order() {
      return orderOf(session, { returnUrls, seals })
    },
    // Sessions that ask for no money have no amounts; 0 is never what was asked for.
    amountSubtotal: session.amount_subtotal ?? 0,
    amountTotal: session.amount_total ?? 0,
    amountDiscount: session.total_details?.amount_discount ?? 0,
    amountTax: session.total_details?.amount_tax ?? 0,
    currency: session.currency ?? '',
    live: session.livemode,
    singlePayment: session.mode === 'payment',
    paymentIntentId: idOf(session.payment_intent),
    url: session.url ?? null,
  })
}

/** The page to which a buyer comes back after a payment. The service also recognises its own sessions by it. */
export function successUrl({ success }: ReturnUrls, sessionId: string): string {
  return `${success}?session_id=${sessionId}`
}

/** What a session keeps of its order, so that a purchase can be restored from it. */
export function orderMetadata(
  order: Omit<Order, 'createdAt' | 'expiresAt'>,
  seals: Pick<OrderSeals, 'sealOf'>,
) {
  const { id, email, language, price, leastAmount } = order
  const { amount, currency } = price
  const seal = seals.sealOf(order)
  const least = leastAmount === null ? {} : { least_amount: String(leastAmount) }
  return { purchase_id: id, email, language, amount: String(amount), currency, ...least, seal }
}

/** What a session says of itself. Without its payment intent expanded, money that bounced seems to be on its way. */
function outcomeOf(session: SessionObject): SessionOutcome {
  switch (session.status) {
    case 'open':
      return 'open'
    case 'expired':
      return 'expired'
    case 'complete':
      return isPaid(session) ? 'paid' : unpaidOutcome(session)
    default:
      throw new Error(`a session of status ${session.status}`)
  }
}

export function isPaid({ payment_status }: SessionObject): boolean {
  return payment_status === 'paid' || payment_status === 'no_payment_required'
}

/** A completed session is paid later, or never: https://docs.stripe.com/payments/paymentintents/lifecycle. */
function unpaidOutcome({ payment_intent }: SessionObject): SessionOutcome {
  const status = typeof payment_intent === 'object' ? payment_intent?.status : undefined
  if (status === 'requires_action') return 'unpaid'
  return status === 'canceled' || status === 'requires_payment_method' ? 'failed' : 'processing'
}

/** Another shop in the same account may use one of the two names; only we use both. */
function purchaseIdOf({ client_reference_id, metadata }: SessionObject): PurchaseId | null {
  if (!client_reference_id || metadata?.['purchase_id'] !== client_reference_id) return null
  return readPurchaseId(client_reference_id)
}

/** Another Alibi in the same account names its purchases as we do; only its buyers come back to another address. */
function orderOf(
  session: SessionObject,
  { returnUrls, seals }: { returnUrls: ReturnUrls; seals: OrderSeals },
): SessionReport['order'] {
  const id = purchaseIdOf(session)
  const isOurs = session.success_url?.startsWith(successUrl(returnUrls, '')) ?? false
  if (id === null || !isOurs) return null

  const email = findEmail(session.metadata?.['email'])
  const language = findLanguage(session.metadata?.['language'] ?? '')
  const price = priceOf(session)
  const { created, expires_at } = session
  const isDated = [created, expires_at].every(Number.isSafeInteger)
  if (email === null || language === null || price === null || !isDated) return null
  const createdAt = toDate(created)
  const expiresAt = toDate(expires_at)
  const leastAmount = leastAmountIn(session)
  const seal = checkSeal({ id, email, price, leastAmount }, { session, seals })
  return { id, email, language, price, leastAmount, createdAt, expiresAt, seal }
}

function leastAmountIn({ metadata }: SessionObject): number | null {
  const text = metadata?.['least_amount'] ?? ''
  return /^\d{1,12}$/.test(text) ? Number(text) : null
}

function checkSeal(
  order: Pick<Order, 'id' | 'email' | 'price' | 'leastAmount'>,
  { session, seals }: { session: SessionObject; seals: OrderSeals },
): OrderSeal {
  const seal = session.metadata?.['seal'] ?? ''
  // Stripe keeps no key of metadata that has no value.
  if (seal === '') return 'none'
  return seals.fits(order, seal) ? 'fits' : 'broken'
}

function priceOf({ metadata }: SessionObject): Price | null {
  const { amount = '', currency = '' } = metadata ?? {}
  const isPrice = /^[1-9]\d{0,11}$/.test(amount) && /^[a-z]{3}$/.test(currency)
  return isPrice ? { amount: Number(amount), currency } : null
}
