import Stripe from 'stripe'
import type { CheckoutSession, Clock, PaymentGateway } from '../application/ports.ts'
import type { Refund } from '../domain/premium-grant.ts'
import { type Price, type Purchase, SESSION_ID, type SessionReport } from '../domain/purchase.ts'
import type { StripeProduct } from './payment-settings.ts'
import { stripeClient } from './stripe-client.ts'
import { stripeNotifications } from './stripe-notifications.ts'
import { outcomeOf, toRefund, toSessionReport } from './stripe-objects.ts'

const TIMEOUT_MS = 8_000
const PAGE_SIZE_MAX = 100

export function stripePaymentGateway({
  secretKey,
  webhookSecrets,
  apiUrl,
  product,
  publicUrl,
  allowPromotionCodes,
  clock,
  timeoutMs = TIMEOUT_MS,
}: {
  secretKey: string
  webhookSecrets: readonly string[]
  /** Null for Stripe's own. */
  apiUrl: string | null
  product: StripeProduct
  publicUrl: string
  allowPromotionCodes: boolean
  clock: Clock
  timeoutMs?: number
}): PaymentGateway {
  const ask = stripeClient({ secretKey, apiUrl, timeoutMs })
  const live = /^[sr]k_live_/.test(secretKey)
  return {
    live,
    price: 'price' in product ? async () => product.price : remember(() => ask(readPrice(product))),
    createSession: (purchase) =>
      ask(createSession({ purchase, product, publicUrl, allowPromotionCodes })),
    readSession: (sessionId) => ask((stripe) => orMissing(readSession(stripe, sessionId), null)),
    expireSession: (sessionId) =>
      ask((stripe) => orMissing(expireSession(stripe, sessionId), null)),
    listRefunds: (paymentIntentId) =>
      ask((stripe) => orMissing(listRefunds(stripe, paymentIntentId), [])),
    readNotification: stripeNotifications({ webhookSecrets, live, clock }),
  }
}

/** Asks once for everyone who wants to know, and again after a failure. */
function remember<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | null = null
  return () => {
    answer ??= ask().catch((error) => {
      answer = null
      throw error
    })
    return answer
  }
}

function readPrice({ priceId }: { priceId: string }) {
  return async (stripe: Stripe): Promise<Price> => {
    const price = expectObject(await stripe.prices.retrieve(priceId), 'price', priceId)
    if (!price.active) throw new Error(`the price ${priceId} is not active`)
    if (price.type !== 'one_time') throw new Error(`the price ${priceId} is not a one-time price`)
    if (!price.unit_amount) throw new Error(`the price ${priceId} has no amount of its own`)
    return { amount: price.unit_amount, currency: price.currency }
  }
}

function createSession(order: Order) {
  return async (stripe: Stripe): Promise<CheckoutSession> => {
    const answer = await stripe.checkout.sessions.create(sessionParams(order), {
      idempotencyKey: order.purchase.id,
    })
    const { id, url } = expectObject(answer, 'checkout.session', null)
    if (!SESSION_ID.test(id) || url === null || !isWebUrl(url)) {
      throw new Error('a new session without an id or a page of its own')
    }
    return { sessionId: id, checkoutUrl: url }
  }
}

type Order = {
  purchase: Purchase
  product: StripeProduct
  publicUrl: string
  allowPromotionCodes: boolean
}

/** Depends on nothing that changes between two tries: Stripe refuses a key that comes with other parameters. */
function sessionParams({
  purchase,
  product,
  publicUrl,
  allowPromotionCodes,
}: Order): Stripe.Checkout.SessionCreateParams {
  const { amount, currency } = purchase.price
  return {
    mode: 'payment',
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
    metadata: { purchase_id: purchase.id, email: purchase.email },
    payment_intent_data: { metadata: { purchase_id: purchase.id } },
    expires_at: Math.floor(purchase.expiresAt.getTime() / 1000),
    // Stripe puts the id in place of the braces.
    success_url: `${publicUrl}/payment/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${publicUrl}/payment/cancel`,
    // Or buyers abroad pay another currency than the one that was asked for.
    adaptive_pricing: { enabled: false },
    ...(allowPromotionCodes ? { allow_promotion_codes: true } : {}),
  }
}

const WITH_PAYMENT_INTENT = { expand: ['payment_intent'] }

async function readSession(stripe: Stripe, sessionId: string): Promise<SessionReport | null> {
  // Anything else would end up in the path of the request.
  if (!SESSION_ID.test(sessionId)) return null
  const answer = await stripe.checkout.sessions.retrieve(sessionId, WITH_PAYMENT_INTENT)
  const session = expectObject(answer, 'checkout.session', sessionId)
  return toSessionReport(session, outcomeOf(session))
}

async function expireSession(stripe: Stripe, sessionId: string): Promise<SessionReport | null> {
  if (!SESSION_ID.test(sessionId)) return null
  try {
    const answer = await stripe.checkout.sessions.expire(sessionId, WITH_PAYMENT_INTENT)
    const session = expectObject(answer, 'checkout.session', sessionId)
    return closedReport(toSessionReport(session, outcomeOf(session)))
  } catch (error) {
    if (!isInvalidRequest(error) || isMissing(error)) throw error
    // Only an open session can be expired: this one has ended in another way.
    const report = await readSession(stripe, sessionId)
    return report && closedReport(report)
  }
}

function closedReport(report: SessionReport): SessionReport {
  if (report.outcome === 'open') throw new Error('the session still takes money')
  return report
}

async function listRefunds(stripe: Stripe, paymentIntentId: string): Promise<readonly Refund[]> {
  const refunds: Refund[] = []
  const pages = stripe.refunds.list({ payment_intent: paymentIntentId, limit: PAGE_SIZE_MAX })
  for await (const answer of pages) {
    const refund = toRefund(answer)
    if (refund?.paymentIntentId !== paymentIntentId) throw new Error('a refund of something else')
    refunds.push(refund)
  }
  return refunds
}

/** The SDK takes whatever has no `error` in it for success, with any status. */
function expectObject<Answer extends { id: string; object: string }>(
  answer: Stripe.Response<Answer>,
  object: Answer['object'],
  id: string | null,
): Answer {
  const isExpected =
    answer.lastResponse.statusCode === 200 &&
    answer.object === object &&
    typeof answer.id === 'string' &&
    (id === null || answer.id === id)
  if (!isExpected) throw new Error(`not the ${object} that was asked for`)
  return answer
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}

async function orMissing<Answer, Missing>(
  answer: Promise<Answer>,
  missing: Missing,
): Promise<Answer | Missing> {
  try {
    return await answer
  } catch (error) {
    if (isMissing(error)) return missing
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return isInvalidRequest(error) && error.code === 'resource_missing'
}

/** Stripe's 400 and 404. */
function isInvalidRequest(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError
}
