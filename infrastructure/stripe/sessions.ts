import type Stripe from 'stripe'
import type {
  CheckoutSession,
  ListPage,
  ListWindow,
  PaymentGateway,
} from '../../application/ports.ts'
import { type Purchase, SESSION_ID, type SessionReport } from '../../domain/purchase.ts'
import type { StripeProduct } from '../config/payment-settings.ts'
import type { OrderSeals } from '../secrets/order-seals.ts'
import { expectObject, isInvalidRequest, isMissing } from './answers.ts'
import { toSeconds } from './objects.ts'
import { readPage, windowParams } from './pages.ts'
import {
  orderMetadata,
  type ReportSession,
  type ReturnUrls,
  successUrl,
} from './session-reports.ts'

// Payment pages and what becomes of them: https://docs.stripe.com/api/checkout/sessions.

type Sale = {
  readonly purchase: Purchase
  readonly product: StripeProduct
  readonly returnUrls: ReturnUrls
  readonly allowPromotionCodes: boolean
  readonly seals: OrderSeals
}

const WITH_PAYMENT_INTENT = { expand: ['payment_intent'] }

export async function createSession(stripe: Stripe, sale: Sale): Promise<CheckoutSession> {
  const answer = await stripe.checkout.sessions.create(sessionParams(sale), {
    idempotencyKey: sale.purchase.id,
  })
  const { id, url } = expectObject(answer, 'checkout.session')
  if (!SESSION_ID.test(id) || url === null || !isWebUrl(url)) {
    throw new Error('a new session without an id or a page of its own')
  }
  return { sessionId: id, checkoutUrl: url }
}

/** Depends on nothing that changes between two tries: Stripe refuses a key that comes with other parameters. */
function sessionParams({
  purchase,
  product,
  returnUrls,
  allowPromotionCodes,
  seals,
}: Sale): Stripe.Checkout.SessionCreateParams {
  const { amount, currency } = purchase.price
  return {
    mode: 'payment',
    // Otherwise a price with several currencies would be shown in that of the buyer's country.
    currency,
    line_items: [
      'priceId' in product
        ? { quantity: 1, price: product.priceId }
        : {
            quantity: 1,
            price_data: { currency, unit_amount: amount, product_data: { name: product.name } },
          },
    ],
    customer_email: purchase.email,
    client_reference_id: purchase.id,
    metadata: orderMetadata(purchase, seals),
    payment_intent_data: { metadata: { purchase_id: purchase.id } },
    expires_at: toSeconds(purchase.expiresAt),
    // Stripe puts the id in place of the braces.
    success_url: successUrl(returnUrls, '{CHECKOUT_SESSION_ID}'),
    cancel_url: returnUrls.cancel,
    // Otherwise buyers abroad would pay in another currency than the one that was asked for.
    adaptive_pricing: { enabled: false },
    ...(allowPromotionCodes ? { allow_promotion_codes: true } : {}),
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
  const answer = await stripe.checkout.sessions.retrieve(sessionId, WITH_PAYMENT_INTENT)
  return reportSession(expectObject(answer, 'checkout.session', sessionId))
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
    const report = await readSession(stripe, sessionId, reportSession)
    return report && closedReport(report)
  }
}

function closedReport(report: SessionReport): SessionReport {
  if (report.outcome === 'open') throw new Error('the session still takes money')
  return report
}

export async function findSessions(
  stripe: Stripe,
  { until, ...window }: Parameters<PaymentGateway['findSessions']>[0],
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
