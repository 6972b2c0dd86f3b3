import type {
  PaymentCalls,
  PaymentEvent,
  PaymentNotifications,
} from '../../../application/ports.ts'
import type { SandboxAction } from '../../../application/sandbox-checkout.ts'
import type { Email } from '../../../domain/email.ts'
import type { Price, PurchaseId } from '../../../domain/order.ts'
import { draftPurchase, type Purchase } from '../../../domain/purchase.ts'
import type { StripeTerms } from '../../../infrastructure/config/payment-settings.ts'
import { sandboxPaymentGateway } from '../../../infrastructure/sandbox/payment-gateway.ts'
import type { SandboxDelivery } from '../../../infrastructure/sandbox/webhook-sender.ts'
import { orderSeals } from '../../../infrastructure/secrets/order-seals.ts'
import { stripePaymentGateway } from '../../../infrastructure/stripe/payment-gateway.ts'
import { returnUrls } from '../../../interfaces/composition/compose-providers.ts'
import { fixedClock } from '../fakes.ts'
import { PATIENCE_MS } from '../patience.ts'
import { memorySandboxSessions } from '../stores/sandbox-session-memory.ts'
import { startStripeDouble } from '../stripe-double/stripe-double.ts'
import { signedDelivery } from './stripe-events.ts'

export const PUBLIC_URL = 'https://alibi.example'
export const WEBHOOK_SECRET = 'whsec_contract'
export const PRICE: Price = { amount: 400, currency: 'eur' }
/** Stripe does nothing beside taking the money. */
export const PLAIN_TERMS: StripeTerms = {
  managedPayments: false,
  tax: false,
  invoices: false,
  taxCode: null,
}
export const SEALS = orderSeals({ secret: 'a secret of the contract that is long enough' })
export const EMAIL = 'mario.rossi@example.com' as Email

/** All that a provider can be asked, and all that it tells. */
export type PaymentGateway = PaymentCalls & PaymentNotifications

/** A gateway on a provider that is there for one test. */
export type OpenGateway = {
  readonly gateway: PaymentGateway
  readonly clock: ReturnType<typeof fixedClock>
  /** Plays the buyer, or the buyer's bank. */
  act(sessionId: string, action: SandboxAction): Promise<void>
  /** The next delivery about a session, as bytes and as the gateway reads it. */
  nextSessionReport(): Promise<{ delivery: Delivery; event: PaymentEvent }>
  close(): Promise<void>
}

export type Delivery = { readonly payload: Uint8Array; readonly signature: string }

/** Every gateway, for `describe.each`. */
export const GATEWAYS: readonly (readonly [string, () => Promise<OpenGateway>])[] = [
  ['Stripe', openStripe],
  ['the sandbox', openSandbox],
]

let purchases = 0

/** A purchase that no test has had before. */
export function newPurchase(
  now: Date,
  own: Partial<
    Pick<
      Purchase,
      'price' | 'leastAmount' | 'live' | 'email' | 'language' | 'expiresAt' | 'sessionId'
    >
  > = {},
): Purchase {
  const id = `pur_${++purchases}` as PurchaseId
  const draft = { id, email: EMAIL, language: 'en', price: PRICE, live: false, now } as const
  return { ...draftPurchase(draft), ...own }
}

async function openStripe(): Promise<OpenGateway> {
  const clock = fixedClock()
  const double = await startStripeDouble({ webhookSecret: WEBHOOK_SECRET, clock })
  const { payments, notifications } = stripePaymentGateway({
    secretKey: double.secretKey,
    webhookSecrets: [WEBHOOK_SECRET],
    apiUrl: double.url,
    product: { price: PRICE, name: 'Alibi Premium' },
    returnUrls: returnUrls(PUBLIC_URL),
    seals: SEALS,
    terms: PLAIN_TERMS,
    log() {},
    clock,
    timeoutMs: PATIENCE_MS,
  })
  const gateway = { ...payments, ...notifications }
  const acts: Record<SandboxAction, (sessionId: string) => unknown> = {
    pay: (sessionId) => double.pay(sessionId),
    pay_late: (sessionId) => double.payLate(sessionId),
    decline: double.decline,
    money_arrives: double.lateSucceed,
    money_bounces: double.lateFail,
  }
  let read = 0
  return {
    gateway,
    clock,
    act: async (sessionId, action) => void acts[action](sessionId),
    async nextSessionReport() {
      for (const event of double.held().slice(read)) {
        read++
        const delivery = await signedDelivery(event, { secret: WEBHOOK_SECRET, at: clock.now() })
        const notification = await gateway.verifyEvent(delivery)
        if (notification.kind === 'session') return { delivery, event: notification }
      }
      throw new Error('no event is about a session')
    },
    close: double.stop,
  }
}

async function openSandbox(): Promise<OpenGateway> {
  const clock = fixedClock()
  const deliveries = deliveryQueue()
  let ids = 0
  const { payments, notifications, sandboxCheckout, stop } = sandboxPaymentGateway({
    sessions: memorySandboxSessions(),
    price: PRICE,
    productName: 'Alibi Premium',
    payUrl: `${PUBLIC_URL}/sandbox/pay/`,
    returnUrls: returnUrls(PUBLIC_URL),
    seals: SEALS,
    webhookSecret: WEBHOOK_SECRET,
    deliver: async (delivery) => deliveries.push(delivery),
    wait: async () => {},
    clock,
    newId: (prefix) => `${prefix}${++ids}`,
  })
  const gateway = { ...payments, ...notifications }
  return {
    gateway,
    clock,
    act: async (sessionId, action) => void (await sandboxCheckout.applyAction(sessionId, action)),
    async nextSessionReport() {
      for (;;) {
        const { payload, signature } = await deliveries.next()
        const delivery = { payload: new TextEncoder().encode(payload), signature }
        const event = await gateway.verifyEvent(delivery)
        if (event.kind === 'session') return { delivery, event }
      }
    },
    close: async () => stop(),
  }
}

/** What a test's webhook was brought, one after the other. */
export function deliveryQueue() {
  const arrived: SandboxDelivery[] = []
  const waiting: ((delivery: SandboxDelivery) => void)[] = []
  return {
    /** Takes a delivery, as a webhook that answers 200 does. */
    push(delivery: SandboxDelivery): boolean {
      const next = waiting.shift()
      if (next) next(delivery)
      else arrived.push(delivery)
      return true
    },
    next(): Promise<SandboxDelivery> {
      const delivery = arrived.shift()
      if (delivery) return Promise.resolve(delivery)
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}
