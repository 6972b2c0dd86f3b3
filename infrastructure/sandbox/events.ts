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
    data: { object: isAboutIntent(type) ? intentObject(after) : sessionObject(after, page) },
  }
}

function eventType(before: State, after: State): string | null {
  switch (after) {
    case 'open':
      return null
    case 'declined':
      return 'payment_intent.payment_failed'
    case 'awaiting_money':
      return 'checkout.session.completed'
    case 'paid':
      return before === 'awaiting_money'
        ? 'checkout.session.async_payment_succeeded'
        : 'checkout.session.completed'
    case 'failed':
      return 'checkout.session.async_payment_failed'
    case 'expired':
      return 'checkout.session.expired'
  }
}

function isAboutIntent(type: string): boolean {
  return type.startsWith('payment_intent.')
}

const SESSION_STATUS: Readonly<Record<State, 'open' | 'complete' | 'expired'>> = {
  open: 'open',
  declined: 'open',
  awaiting_money: 'complete',
  paid: 'complete',
  failed: 'complete',
  expired: 'expired',
}

const INTENT_STATUS: Readonly<
  Record<State, 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled'>
> = {
  open: 'requires_payment_method',
  declined: 'requires_payment_method',
  awaiting_money: 'processing',
  paid: 'succeeded',
  failed: 'requires_payment_method',
  expired: 'canceled',
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
  const status = SESSION_STATUS[state]
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
    status: INTENT_STATUS[state],
  } as const
}
