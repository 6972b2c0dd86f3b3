import { onceAsked } from '../../application/first-use.ts'
import type { Clock, Log, PaymentCalls, PaymentNotifications } from '../../application/ports.ts'
import { isLiveKey, type StripeProduct, type StripeTerms } from '../config/payment-settings.ts'
import type { OrderSeals } from '../secrets/order-seals.ts'
import { notFoundAs } from './answers.ts'
import { stripeClient } from './client.ts'
import { eventTranslation, findUndeliveredNotifications } from './events.ts'
import { stripeNotifications } from './notifications.ts'
import { toDate, toSeconds } from './objects.ts'
import { readPrice } from './prices.ts'
import { findDisputes, findRefunds, listDisputes, listRefunds, refundPayment } from './reversals.ts'
import { type ReturnUrls, sessionReports } from './session-reports.ts'
import {
  createSession,
  expireSession,
  findCompletedSessions,
  findSessions,
  readSession,
} from './sessions.ts'

const TIMEOUT_MS = 8_000

export function stripePaymentGateway({
  secretKey,
  webhookSecrets,
  apiUrl,
  product,
  terms,
  returnUrls,
  seals,
  clock,
  log,
  timeoutMs = TIMEOUT_MS,
}: {
  secretKey: string
  webhookSecrets: readonly string[]
  /** Null for Stripe's own. */
  apiUrl: string | null
  product: StripeProduct
  terms: StripeTerms
  returnUrls: ReturnUrls
  seals: OrderSeals
  clock: Clock
  log: Log
  timeoutMs?: number
}): { readonly payments: PaymentCalls; readonly notifications: PaymentNotifications } {
  const ask = stripeClient({ secretKey, apiUrl, timeoutMs })
  const live = isLiveKey(secretKey)
  const reportSession = sessionReports({ returnUrls, seals })
  const translate = eventTranslation({ live, reportSession })
  const unknown = new Set<string>()
  const readingNow = () => ({ live, reportedAt: toDate(toSeconds(clock.now())) })
  const payments: PaymentCalls = {
    price:
      'price' in product
        ? async () => product.price
        : onceAsked(() => ask((stripe) => readPrice(stripe, product.priceId))),
    createSession: (purchase) =>
      ask((stripe) =>
        createSession(stripe, { purchase, product, terms, returnUrls, seals }, { unknown, log }),
      ),
    readSession: (sessionId) =>
      ask((stripe) => notFoundAs(readSession(stripe, sessionId, reportSession), null)),
    expireSession: (sessionId) =>
      ask((stripe) => notFoundAs(expireSession(stripe, sessionId, reportSession), null)),
    listRefunds: (paymentIntentId) =>
      ask((stripe) => notFoundAs(listRefunds(stripe, paymentIntentId), [])),
    listDisputes: (paymentIntentId) => {
      const reading = readingNow()
      return ask((stripe) => notFoundAs(listDisputes(stripe, paymentIntentId, reading), []))
    },
    refundPayment: (refund) => ask((stripe) => refundPayment(stripe, refund)),
    findSessions: (window) => ask((stripe) => findSessions(stripe, window, reportSession)),
    findCompletedSessions: (window) =>
      ask((stripe) => findCompletedSessions(stripe, window, reportSession)),
    findUndeliveredNotifications: (window) =>
      ask((stripe) => findUndeliveredNotifications(stripe, window, translate)),
    findRefunds: (window) => ask((stripe) => findRefunds(stripe, window)),
    findDisputes: (window) => {
      const reading = readingNow()
      return ask((stripe) => findDisputes(stripe, window, reading))
    },
  }
  const notifications = stripeNotifications({ live, webhookSecrets, translate, clock })
  return { payments, notifications }
}
