import Stripe from 'stripe'
import type {
  Clock,
  PaymentFact,
  PaymentGateway,
  PaymentNotification,
} from '../application/ports.ts'
import { DomainError } from '../domain/errors.ts'
import type { SessionReport } from '../domain/purchase.ts'
import { idOf, isPaid, toDispute, toRefund, toSessionReport } from './stripe-objects.ts'

/** https://docs.stripe.com/webhooks#replay-attacks */
const TOLERANCE_SECONDS = 300

/** How deliveries are read whose signature follows Stripe's scheme, with any of the secrets. */
export function stripeNotifications({
  webhookSecrets,
  live,
  clock,
}: {
  webhookSecrets: readonly string[]
  live: boolean
  clock: Clock
}): PaymentGateway['readNotification'] {
  return async ({ payload, signature }) => {
    const text = decode(payload)
    if (text === null || signature === null) throw new DomainError('invalid_signature')
    for (const secret of webhookSecrets) {
      if (await isSigned({ text, signature, secret, now: clock.now() }))
        return translate(text, live)
    }
    throw new DomainError('invalid_signature')
  }
}

/** Null for what is not UTF-8. Any other reading than this strict one gives several payloads the same text. */
function decode(payload: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload)
  } catch {
    return null
  }
}

async function isSigned({
  text,
  signature,
  secret,
  now,
}: {
  text: string
  signature: string
  secret: string
  now: Date
}): Promise<boolean> {
  try {
    const verified = await Stripe.webhooks.signature?.verifyHeaderAsync(
      text,
      signature,
      secret,
      TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    )
    return verified === true
  } catch {
    // Not only its own error: a header such as `t=1,v1` makes the SDK stumble.
    return false
  }
}

function translate(text: string, live: boolean): PaymentNotification {
  const event = parseEvent(text)
  if (!event) return { eventId: 'unknown', eventType: 'unknown', kind: 'other' }
  const fact = readFact(event) ?? OTHER
  // Only sessions say themselves, to whoever judges them, in which mode they are.
  const isOtherMode = fact.kind !== 'session' && event.livemode !== live
  return { eventId: event.id, eventType: event.type, ...(isOtherMode ? OTHER : fact) }
}

/** Null for what is signed but is not an event with an object in it, such as a thin event. */
function parseEvent(text: string): Stripe.Event | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isRecord(value) || value['object'] !== 'event') return null
  if (typeof value['id'] !== 'string' || typeof value['type'] !== 'string') return null
  const data = value['data']
  const object = isRecord(data) ? data['object'] : null
  const isWhole = isRecord(object) && typeof object['id'] === 'string'
  return isWhole ? (value as unknown as Stripe.Event) : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const OTHER = { kind: 'other' } as const

/** Null for an event that Alibi does not act on. */
function readFact(event: Stripe.Event): PaymentFact | null {
  switch (event.type) {
    case 'checkout.session.completed': {
      const session = event.data.object
      return sessionFact(session, isPaid(session) ? 'paid' : 'processing')
    }
    case 'checkout.session.async_payment_succeeded':
      return sessionFact(event.data.object, 'paid')
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
      return sessionFact(event.data.object, 'closed')
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated': {
      const refund = toRefund(event.data.object)
      return refund && { kind: 'refund', refund }
    }
    case 'charge.refunded': {
      const paymentIntentId = idOf(event.data.object.payment_intent)
      return paymentIntentId === null ? null : { kind: 'refund_hint', paymentIntentId }
    }
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated': {
      const dispute = toDispute(event.data.object, new Date(event.created * 1000))
      return dispute && { kind: 'dispute', dispute }
    }
    default:
      return null
  }
}

function sessionFact(
  session: Stripe.Checkout.Session,
  outcome: SessionReport['outcome'],
): PaymentFact {
  return { kind: 'session', report: toSessionReport(session, outcome) }
}
