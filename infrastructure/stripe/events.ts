import type Stripe from 'stripe'
import type { ListPage, ListWindow, PaymentEvent, PaymentFact } from '../../application/ports.ts'
import { idOf, toDate, toDispute, toRefund } from './objects.ts'
import { readPage, windowParams } from './pages.ts'
import { isPaid, type ReportSession } from './session-reports.ts'

/**
 * The events that Alibi acts on. Stripe lists events of at most 20 types at once:
 * https://docs.stripe.com/api/events/list.
 */
export const EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.refund.updated',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const satisfies readonly Stripe.Event['type'][]

/** The events that a webhook endpoint has to listen to: `charge.refund.updated` repeats `refund.updated`. */
export const ENDPOINT_EVENT_TYPES = EVENT_TYPES.filter((type) => type !== 'charge.refund.updated')

/** Null for what is not an event with an object in it, such as a thin event. */
export type TranslateEvent = (value: unknown) => PaymentEvent | null

/** How events are read, whether they were delivered or looked up. */
export function eventTranslation({
  live,
  reportSession,
}: {
  live: boolean
  reportSession: ReportSession
}): TranslateEvent {
  return (value) => {
    if (!isEvent(value)) return null
    const { id: eventId, type: eventType } = value
    const isOwn = !isOfConnectedAccount(value)
    const fact = (isOwn && isActedOn(value) && readFact(value, reportSession)) || OTHER
    // Only sessions have a mode of their own, which is checked with the rest of the session.
    const isOtherMode = fact.kind !== 'session' && value.livemode !== live
    const occurredAt = Number.isSafeInteger(value.created) ? toDate(value.created) : null
    return { eventId, eventType, occurredAt, ...(isOtherMode ? OTHER : fact) }
  }
}

const OTHER = { kind: 'other' } as const

function isEvent(value: unknown): value is Stripe.Event {
  if (!isRecord(value) || value['object'] !== 'event') return false
  if (typeof value['id'] !== 'string' || typeof value['type'] !== 'string') return false
  const data = value['data']
  const object = isRecord(data) ? data['object'] : null
  return isRecord(object) && typeof object['id'] === 'string'
}

/**
 * What an endpoint of the style "thin" gets: it names an object, and does not show it. Null for anything else.
 * https://docs.stripe.com/event-destinations
 */
export function readThinEvent(value: unknown): PaymentEvent | null {
  if (!isRecord(value) || value['object'] !== 'v2.core.event') return null
  const { id: eventId, type: eventType } = value
  if (typeof eventId !== 'string' || typeof eventType !== 'string') return null
  return { eventId, eventType, occurredAt: null, kind: 'other', isThin: true }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/**
 * An account that is connected to ours sells what it likes, in sessions that look as it likes:
 * https://docs.stripe.com/connect/webhooks. Our own account's events name no account.
 */
function isOfConnectedAccount({ account, context }: Stripe.Event): boolean {
  return [account, context].some((own: unknown) => own !== undefined && own !== null)
}

type ActedOnEvent = Extract<Stripe.Event, { type: (typeof EVENT_TYPES)[number] }>

function isActedOn(event: Stripe.Event): event is ActedOnEvent {
  return EVENT_TYPES.some((type) => type === event.type)
}

/** Null for money that did not come through us. */
function readFact(event: ActedOnEvent, reportSession: ReportSession): PaymentFact | null {
  switch (event.type) {
    case 'checkout.session.completed': {
      const session = event.data.object
      const outcome = isPaid(session) ? 'paid' : 'processing'
      return { kind: 'session', report: reportSession(session, outcome) }
    }
    case 'checkout.session.async_payment_succeeded':
      return { kind: 'session', report: reportSession(event.data.object, 'paid') }
    case 'checkout.session.async_payment_failed':
      return { kind: 'session', report: reportSession(event.data.object, 'failed') }
    case 'checkout.session.expired':
      return { kind: 'session', report: reportSession(event.data.object, 'expired') }
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
      const dispute = toDispute(event.data.object, toDate(event.created))
      return dispute && { kind: 'dispute', dispute }
    }
  }
}

/** https://docs.stripe.com/api/events/list, which reaches 30 days back. */
export async function findUndeliveredNotifications(
  stripe: Stripe,
  window: ListWindow,
  translate: TranslateEvent,
): Promise<ListPage<PaymentEvent>> {
  const answer = await stripe.events.list({
    ...windowParams(window),
    delivery_success: false,
    types: [...EVENT_TYPES],
  })
  return readPage(answer, 'event', (event) => {
    const paymentEvent = translate(event)
    if (!paymentEvent) throw new Error('an event without an object')
    return paymentEvent
  })
}
