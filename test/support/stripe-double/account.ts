import type Stripe from 'stripe'
import type { Clock } from '../../../application/ports.ts'
import type { StripeEvent } from '../stripe/stripe-events.ts'
import { newEvent, newIntent, newPrice, newSession, newWebhookEndpoint } from './objects.ts'
import type { RefundAnswer } from './refunds.ts'
import { invalidRequest, missingResource } from './refusal.ts'
import type { Defaults, SessionOrder } from './session-order.ts'

export type Account = ReturnType<typeof stripeAccount>

/** Everything one Stripe account holds, and the events it has made. */
export function stripeAccount({
  clock,
  live,
  pagesUrl,
}: {
  clock: Clock
  live: boolean
  /** What the addresses of hosted pages begin with. */
  pagesUrl: () => string
}) {
  const sessions = new Map<string, Stripe.Checkout.Session>()
  const intents = new Map<string, Stripe.PaymentIntent>()
  const charges = new Map<string, Stripe.Charge>()
  const refunds = new Map<string, Stripe.Refund>()
  const disputes = new Map<string, Stripe.Dispute>()
  const prices = new Map<string, Stripe.Price>()
  const webhookEndpoints = new Map<string, Stripe.WebhookEndpoint>()
  /** The addresses that get thin events. */
  const thinDestinations: string[] = []
  /** By the id of the endpoint: no answer but the first shows them. */
  const signingSecrets = new Map<string, string>()
  const intentMetadata = new Map<string, Record<string, string>>()
  const events: StripeEvent[] = []
  const delivered = new Set<string>()
  const taxBehaviors = new Map<string, Defaults['taxBehavior']>()
  const defaults: Defaults = {
    managedPayments: false,
    automaticTax: false,
    taxBehavior: 'exclusive',
    unknownParameters: [],
  }
  const answers: { refund: RefundAnswer } = { refund: 'succeeded' }

  const mode = () => ({ live, created: Math.floor(clock.now().getTime() / 1000) })

  /** The event is on record at once; who hears of it, and when, is another matter. */
  function emit(type: string, object: object, previous?: Record<string, unknown>): StripeEvent {
    const event = newEvent(type, object, mode(), previous)
    events.push(event)
    return event
  }

  function createSession(order: SessionOrder): Stripe.Checkout.Session {
    const session = newSession(order, { ...mode(), pagesUrl: pagesUrl() })
    sessions.set(session.id, session)
    intentMetadata.set(session.id, order.intentMetadata)
    taxBehaviors.set(session.id, order.taxBehavior)
    return session
  }

  function findSession(id: string): Stripe.Checkout.Session {
    expireOverdue()
    const session = sessions.get(id)
    if (!session) throw missingResource('checkout.session', id, 'session')
    return session
  }

  function changeSession(
    id: string,
    change: Partial<Stripe.Checkout.Session>,
  ): Stripe.Checkout.Session {
    const changed = { ...findSession(id), ...change }
    sessions.set(id, changed)
    return changed
  }

  /** Throws, as the API does, unless the session is open. */
  function expireSession(id: string): StripeEvent {
    const { status } = findSession(id)
    if (status !== 'open') {
      throw invalidRequest(
        `Only Checkout Sessions with a status in ["open"] can be expired. This one is ${status}.`,
      )
    }
    return endSession(id)
  }

  function endSession(id: string): StripeEvent {
    const session = sessions.get(id)
    if (!session) throw missingResource('checkout.session', id)
    const expired = { ...session, status: 'expired' as const, url: null }
    sessions.set(id, expired)
    return emit('checkout.session.expired', expired)
  }

  /** Sessions end by themselves; the next reading shows it. */
  function expireOverdue(): void {
    const { created: now } = mode()
    for (const { id, status, expires_at } of sessions.values()) {
      if (status === 'open' && expires_at <= now) endSession(id)
    }
  }

  /** A session has one payment intent, made at the first try to pay. */
  function openIntent(session: Stripe.Checkout.Session, amount: number) {
    const known = intents.get(String(session.payment_intent))
    if (known) return { intent: known, made: [] }
    const metadata = intentMetadata.get(session.id) ?? {}
    const intent = newIntent(session, { amount, metadata, mode: mode() })
    intents.set(intent.id, intent)
    changeSession(session.id, { payment_intent: intent.id })
    return { intent, made: [emit('payment_intent.created', intent)] }
  }

  function changeIntent(id: string, change: Partial<Stripe.PaymentIntent>): Stripe.PaymentIntent {
    const known = intents.get(id)
    if (!known) throw missingResource('payment_intent', id, 'intent')
    const changed = { ...known, ...change }
    intents.set(id, changed)
    return changed
  }

  function addPrice(
    price: { id: string; amount: number; currency: string },
    change: Partial<Stripe.Price> = {},
  ): void {
    prices.set(price.id, { ...newPrice(price, mode()), ...change })
  }

  function addWebhookEndpoint(
    endpoint: { url: string; enabled_events: string[] },
    change: Partial<Stripe.WebhookEndpoint> = {},
  ): void {
    const made = { ...newWebhookEndpoint(endpoint, mode()), ...change }
    webhookEndpoints.set(made.id, made)
  }

  return {
    sessions,
    intents,
    charges,
    refunds,
    disputes,
    prices,
    webhookEndpoints,
    thinDestinations,
    signingSecrets,
    events,
    /** The ids of events that every webhook has taken. */
    delivered,
    /** By the id of the session. */
    taxBehaviors,
    defaults,
    /** How a refund that is asked for begins. */
    answers,
    mode,
    emit,
    createSession,
    findSession,
    changeSession,
    expireSession,
    expireOverdue,
    openIntent,
    changeIntent,
    addPrice,
    addWebhookEndpoint,
  }
}
