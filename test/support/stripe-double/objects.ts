import type Stripe from 'stripe'
import { stripeEvent, stripeObject } from '../stripe/stripe-events.ts'
import type { SessionOrder } from './session-order.ts'

// Stripe's objects, cut from the payloads in ../stripe-events/, so that their shape is Stripe's.

const OPEN_SESSION = template<Stripe.Checkout.Session>('api.checkout.session.open')
const INVOICES = template<{ invoice_creation: Stripe.Checkout.Session.InvoiceCreation }>(
  'checkout.session.completed.paid',
).invoice_creation
const BUYER = template<Stripe.Checkout.Session>('checkout.session.completed.paid').customer_details
const INTENT = template<Stripe.PaymentIntent>('payment_intent.created')
const CHARGE = template<Stripe.Charge>('charge.succeeded')
const REFUND = template<Stripe.Refund>('refund.created.succeeded')
const INQUIRY = template<Stripe.Dispute>('charge.dispute.created.inquiry')
const CHARGEBACK = template<Stripe.Dispute>('charge.dispute.created.chargeback')
const API_VERSION = stripeEvent('charge.succeeded')['api_version']

export type Mode = { readonly live: boolean; readonly created: number }

function template<T>(name: string): T {
  return stripeObject(name) as T
}

export function newId(prefix: string): string {
  return `${prefix}_${crypto.randomUUID().replaceAll('-', '')}`
}

export function newSession(
  order: SessionOrder,
  { live, created, pagesUrl }: Mode & { pagesUrl: string },
): Stripe.Checkout.Session {
  const id = newId(live ? 'cs_live' : 'cs_test')
  return {
    ...OPEN_SESSION,
    id,
    allow_promotion_codes: order.allowPromotionCodes,
    adaptive_pricing: { enabled: order.adaptivePricing },
    managed_payments: { enabled: order.managedPayments },
    automatic_tax: { ...OPEN_SESSION.automatic_tax, enabled: order.automaticTax },
    invoice_creation: { ...INVOICES, enabled: order.invoices },
    locale: order.locale as Stripe.Checkout.Session['locale'],
    amount_subtotal: order.amount,
    amount_total: order.amount,
    cancel_url: order.cancelUrl,
    client_reference_id: order.clientReferenceId,
    created,
    currency: order.currency,
    customer_email: order.customerEmail,
    expires_at: order.expiresAt,
    livemode: live,
    metadata: order.metadata,
    success_url: order.successUrl,
    url: pagesUrl + id,
  }
}

/** The buyer's data on a session: by default the address that was asked for. */
export function customerDetails(
  email: string | null,
): NonNullable<Stripe.Checkout.Session['customer_details']> {
  if (!BUYER) throw new Error('the payload of a paid session has lost its buyer')
  return { ...BUYER, email }
}

export function newIntent(
  session: Stripe.Checkout.Session,
  { amount, metadata, mode }: { amount: number; metadata: Record<string, string>; mode: Mode },
): Stripe.PaymentIntent {
  const id = newId('pi')
  return {
    ...INTENT,
    id,
    amount,
    client_secret: `${id}_secret_double`,
    created: mode.created,
    currency: session.currency ?? '',
    livemode: mode.live,
    metadata,
    receipt_email: session.customer_email,
  }
}

export function newCharge(intent: Stripe.PaymentIntent, { live, created }: Mode): Stripe.Charge {
  return {
    ...CHARGE,
    id: newId('ch'),
    amount: intent.amount,
    amount_captured: intent.amount,
    created,
    currency: intent.currency,
    livemode: live,
    metadata: intent.metadata,
    payment_intent: intent.id,
    receipt_email: intent.receipt_email,
  }
}

export function newRefund(
  charge: Stripe.Charge,
  {
    amount,
    status,
    reason,
    created,
  }: { amount: number; status: string; reason: string | null; created: number },
): Stripe.Refund {
  return {
    ...REFUND,
    id: newId('re'),
    amount,
    charge: charge.id,
    created,
    currency: charge.currency,
    payment_intent: charge.payment_intent,
    reason,
    status,
  }
}

export function newDispute(
  charge: Stripe.Charge,
  kind: 'inquiry' | 'chargeback',
  { live, created }: Mode,
): Stripe.Dispute {
  return {
    ...(kind === 'inquiry' ? INQUIRY : CHARGEBACK),
    id: newId('du'),
    amount: charge.amount,
    charge: charge.id,
    created,
    currency: charge.currency,
    livemode: live,
    payment_intent: charge.payment_intent,
  }
}

export function newPrice(
  price: { id: string; amount: number; currency: string },
  { live, created }: Mode,
): Stripe.Price {
  return {
    id: price.id,
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created,
    currency: price.currency,
    custom_unit_amount: null,
    livemode: live,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: newId('prod'),
    recurring: null,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'one_time',
    unit_amount: price.amount,
    // A decimal in the API, and of the SDK's own class in its types.
    unit_amount_decimal: null,
  }
}

/** The currencies of a price with their amounts, its own among them, as Stripe lists them. */
export function currencyOptions(
  amounts: Readonly<Record<string, number>>,
): NonNullable<Stripe.Price['currency_options']> {
  const plain = { custom_unit_amount: null, tax_behavior: null, unit_amount_decimal: null }
  return Object.fromEntries(
    Object.entries(amounts).map(([currency, unit_amount]) => [currency, { ...plain, unit_amount }]),
  )
}

export function newWebhookEndpoint(
  { url, enabled_events }: { url: string; enabled_events: string[] },
  { live, created }: Mode,
): Stripe.WebhookEndpoint {
  return {
    id: newId('we'),
    object: 'webhook_endpoint',
    api_version: null,
    application: null,
    created,
    description: null,
    enabled_events,
    livemode: live,
    metadata: {},
    status: 'enabled',
    url,
  }
}

export function newEvent(
  type: string,
  object: object,
  { live, created }: Mode,
  previous?: Record<string, unknown>,
) {
  return {
    id: newId('evt'),
    object: 'event' as const,
    api_version: API_VERSION,
    created,
    data: {
      object: structuredClone(object) as Record<string, unknown>,
      ...(previous ? { previous_attributes: previous } : {}),
    },
    livemode: live,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  }
}
