import { deliverOutbox } from '../../../application/payments/deliver-outbox.ts'
import type { Clock, PaymentNotice } from '../../../application/ports.ts'
import { reconcilePayments } from '../../../application/reconciling/reconcile-payments.ts'
import { DAY_MS, MINUTE_MS } from '../../../domain/duration.ts'
import type { MailLimit } from '../../../domain/mail-limit.ts'
import type { StripeProduct, StripeTerms } from '../../../infrastructure/config/payment-settings.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { slidingWindowLimiter } from '../../../infrastructure/rate-limit/sliding-window-limiter.ts'
import { hmacSecrets } from '../../../infrastructure/secrets/hmac-secrets.ts'
import { jwtTokens } from '../../../infrastructure/secrets/jwt-tokens.ts'
import { type OrderSeals, orderSeals } from '../../../infrastructure/secrets/order-seals.ts'
import { stripePaymentGateway } from '../../../infrastructure/stripe/payment-gateway.ts'
import { returnUrls } from '../../../interfaces/composition/compose-providers.ts'
import type { HttpOptions } from '../../../interfaces/http/request/options.ts'
import { fakePorts, fixedClock } from '../fakes.ts'
import { openHttp } from '../http/http-client.ts'
import { PLAIN_TERMS, PRICE, PUBLIC_URL, WEBHOOK_SECRET } from '../stripe/payment-gateways.ts'
import { type StripeEvent, signedDelivery } from '../stripe/stripe-events.ts'
import type { StripeDouble } from '../stripe-double/stripe-double.ts'
import { type OpenPlace, type ServicePlace, sqlitePlace } from './places.ts'

export type Service = ReturnType<typeof openService>
export type ServiceOptions = NonNullable<Parameters<typeof openService>[0]>

type Client = Pick<ReturnType<typeof openHttp>, 'send'>

const SECRETS = { secret: 'a secret that is long enough to sign with', previousSecret: null }
const RUNNING = new AbortController().signal
const NO_LIMITS = { general: null, auth: null, premium: null }

/**
 * The service as it runs in production, on a database, real secrets and tokens, and Stripe's SDK. Only the clock,
 * the mailer and the log are the test's own; without a Stripe double its provider is a scripted one.
 */
export function openService({
  stripe = null,
  allowPromotionCodes = false,
  mailLimit = null,
  clock = fixedClock(),
  webhookSecrets = [WEBHOOK_SECRET],
  product = { price: PRICE, name: 'Alibi Premium' },
  terms = PLAIN_TERMS,
  amountMin = 0,
  seals = orderSeals(SECRETS),
  timeoutMs,
  busyTimeoutMs,
  path,
  place = sqlitePlace(path, busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
  ...options
}: Partial<Omit<HttpOptions, 'ports'>> & {
  stripe?: StripeDouble | null
  allowPromotionCodes?: boolean
  /** How many codes the service mails; null where nothing bounds them. */
  mailLimit?: MailLimit | null
  clock?: ReturnType<typeof fixedClock>
  webhookSecrets?: readonly string[]
  product?: StripeProduct
  terms?: StripeTerms
  amountMin?: number
  /** Those of another secret are none of this service's. */
  seals?: OrderSeals
  /** A database file that is there already, or is to be made; `:memory:` has no second process. */
  path?: string
  /** How long Stripe is waited for; without one, as long as in production. */
  timeoutMs?: number
  /** How long another process's write to a file is waited for; without one, as long as in production. */
  busyTimeoutMs?: number
  /** Where the data is; without one, in the file. */
  place?: ServicePlace
} = {}) {
  const outside = fakePorts({ clock })
  const { mailer, log } = outside
  const sentNotices = keepEverySending(mailer)
  const { payments, notifications } = stripe
    ? stripePaymentGateway({
        secretKey: stripe.secretKey,
        webhookSecrets,
        apiUrl: stripe.url,
        product,
        returnUrls: returnUrls(PUBLIC_URL),
        seals,
        terms,
        clock,
        log,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      })
    : outside

  /** One more process on the same database, with these secrets but for its seals. */
  function openProcess(keys: { secret: string; previousSecret: string | null } = SECRETS) {
    const { store, connection } = place.openStore()
    const ports = fakePorts({
      ...store,
      clock,
      mailer,
      log,
      payments,
      notifications,
      content: builtInContent(),
      secrets: hmacSecrets(keys),
      tokens: jwtTokens({ ...keys, issuer: PUBLIC_URL, lifetimeMs: DAY_MS }),
      rules: { ...outside.rules, allowPromotionCodes, amountMin, mailLimit },
    })
    const http = openHttp({ limiters: NO_LIMITS, ...options }, ports)
    return { ...http, connection, close: store.close }
  }

  const http = openProcess()
  return {
    ...http,
    clock,
    place,
    openProcess,
    /** Every mail about a payment that was handed to the mailer, repeated ones too. */
    sentNotices,
    /** Every row of every table, as another process reads them. */
    contents: place.contents,
    /** Takes the first half of the recommended flow: proves the address. */
    async verify(email: string): Promise<void> {
      const code = await http.mailCode(email)
      await http.post('/auth/confirm-email', { email, code })
    },
    async hasPremium(email: string): Promise<boolean> {
      const { body } = await http.get(`/auth/check?email=${encodeURIComponent(email)}`)
      return (body as { hasPremium: boolean }).hasPremium
    },
    /** One run of the reconciler: of the sweeps that are due, or of all. */
    reconcile: (only: 'due' | 'all' = 'due', { ports } = http) =>
      reconcilePayments(ports, { only, stopping: RUNNING }),
    /** One round of the outbox. */
    deliverOutbox: ({ ports } = http) => deliverOutbox(ports, RUNNING),
    /** Brings an event to the webhook as Stripe does, signed at this moment. */
    async deliver(event: StripeEvent, path = '/webhook/stripe', to: Client = http) {
      const { payload, signature } = await signedDelivery(event, {
        secret: WEBHOOK_SECRET,
        at: clock.now(),
      })
      return to.send('POST', path, {
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
        body: new Uint8Array(payload),
      })
    },
  }
}

/** Gives tests services, by default on a file, each on an empty database unless it is told which. */
export function serviceSetup(openPlace?: OpenPlace) {
  return async (options: ServiceOptions = {}): Promise<Service> =>
    openService(options.place || !openPlace ? options : { ...options, place: await openPlace() })
}

/** The mailer itself keeps one notice for each key, as a provider sends it on. */
function keepEverySending(mailer: ReturnType<typeof fakePorts>['mailer']): PaymentNotice[] {
  const sent: PaymentNotice[] = []
  const { sendPaymentNotice } = mailer
  mailer.sendPaymentNotice = async (notice) => {
    sent.push(notice)
    await sendPaymentNotice(notice)
  }
  return sent
}

/** The budgets that the users were promised, counted by the test's clock. */
export function promisedLimits(clock: Clock): HttpOptions['limiters'] {
  const counting = { monotonicMs: () => clock.now().getTime(), seeds: [1, 2] } as const
  return {
    general: slidingWindowLimiter({ limit: 10, windowMs: 15 * MINUTE_MS, ...counting }),
    auth: slidingWindowLimiter({ limit: 5, windowMs: 15 * MINUTE_MS, ...counting }),
    premium: slidingWindowLimiter({ limit: 30, windowMs: MINUTE_MS, ...counting }),
    logOut: slidingWindowLimiter({ limit: 5, windowMs: 15 * MINUTE_MS, ...counting }),
    proof: slidingWindowLimiter({ limit: 30, windowMs: 15 * MINUTE_MS, ...counting }),
  }
}

/** `count` codes, all different and none of them right. */
export function wrongCodes(right: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    String((Number(right) + 1 + index) % 1_000_000).padStart(6, '0'),
  )
}

/** How often each status was answered. */
export function countStatuses(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** As many requests at the same time as given. */
export function atOnce<Answer>(
  count: number,
  request: (index: number) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => request(index)))
}
