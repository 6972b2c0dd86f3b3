import type { SandboxSession } from '../../application/sandbox-checkout.ts'
import { DEFAULT_LANGUAGE } from '../../domain/language.ts'
import type { OrderSeals } from '../secrets/order-seals.ts'
import { toSeconds } from '../stripe/objects.ts'
import { orderMetadata, type SessionObject } from '../stripe/session-reports.ts'
import type { SandboxSessionRecord } from './session.ts'

type State = SandboxSession['state']

/** Where the buyer pays, where the buyer goes from there, and what seals the order. */
export type SandboxPage = {
  readonly pageUrl: string
  readonly successUrl: string
  readonly seals: OrderSeals
}

/** What the sandbox reports in the form of a Stripe event: https://docs.stripe.com/api/events/object. */
export type SandboxEvent = {
  readonly id: string
  readonly object: 'event'
  readonly type: string
  readonly created: number
  readonly livemode: false
  readonly data: { readonly object: object }
}

/** Null where a real provider would have nothing to report. */
export function sandboxEvent(
  { before, after }: { before: SandboxSessionRecord; after: SandboxSessionRecord },
  { id, now, page }: { id: string; now: Date; page: SandboxPage },
): SandboxEvent | null {
  const type = eventType(before.state, after.state)
  if (!type) return null
  return {
    id,
    object: 'event',
    type,
    created: toSeconds(now),
    livemode: false,
    data: {
      object: after.state === 'declined' ? intentObject(after) : sessionObject(after, page),
    },
  }
}

/** How each state looks at Stripe, and the event that tells of it; null where there is nothing to tell. */
const AT_STRIPE = {
  open: { session: 'open', intent: 'requires_payment_method', event: null },
  declined: {
    session: 'open',
    intent: 'requires_payment_method',
    event: 'payment_intent.payment_failed',
  },
  awaiting_money: {
    session: 'complete',
    intent: 'processing',
    event: 'checkout.session.completed',
  },
  paid: { session: 'complete', intent: 'succeeded', event: 'checkout.session.completed' },
  failed: {
    session: 'complete',
    intent: 'requires_payment_method',
    event: 'checkout.session.async_payment_failed',
  },
  expired: { session: 'expired', intent: 'canceled', event: 'checkout.session.expired' },
} as const satisfies Record<State, { session: string; intent: string; event: string | null }>

function eventType(before: State, after: State): string | null {
  const isLate = before === 'awaiting_money' && after === 'paid'
  return isLate ? 'checkout.session.async_payment_succeeded' : AT_STRIPE[after].event
}

/** The session as Stripe would show it, with the fields that Alibi reads. */
function sessionObject(record: SandboxSessionRecord, { pageUrl, successUrl, seals }: SandboxPage) {
  const { sessionId, purchaseId, customerEmail, price, state, createdAt, expiresAt } = record
  const order = {
    id: purchaseId,
    email: customerEmail,
    language: DEFAULT_LANGUAGE,
    price,
    leastAmount: null,
  }
  const status = AT_STRIPE[state].session
  return {
    id: sessionId,
    object: 'checkout.session',
    amount_subtotal: price.amount,
    amount_total: price.amount,
    client_reference_id: purchaseId,
    created: toSeconds(createdAt),
    currency: price.currency,
    customer_email: customerEmail,
    expires_at: toSeconds(expiresAt),
    livemode: false,
    metadata: orderMetadata(order, seals),
    mode: 'payment',
    payment_intent: record.paymentIntentId,
    payment_status: state === 'paid' ? 'paid' : 'unpaid',
    status,
    success_url: successUrl,
    total_details: null,
    url: status === 'open' ? pageUrl : null,
  } satisfies SessionObject & Record<string, unknown>
}

/** The session with its payment intent in it, rather than the intent's id. */
export function expandedSessionObject(
  record: SandboxSessionRecord,
  page: SandboxPage,
): SessionObject {
  const intent = record.paymentIntentId === null ? null : intentObject(record)
  return { ...sessionObject(record, page), payment_intent: intent }
}

function intentObject({ paymentIntentId, purchaseId, price, state }: SandboxSessionRecord) {
  return {
    id: paymentIntentId ?? '',
    object: 'payment_intent',
    amount: price.amount,
    currency: price.currency,
    livemode: false,
    metadata: { purchase_id: purchaseId },
    status: AT_STRIPE[state].intent,
  } as const
}
