import { describe, expect, test } from 'bun:test'
import type { PaymentEvent } from '../../../application/ports.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import type { SessionOutcome } from '../../../domain/session-report.ts'
import { EVENT_TYPES, eventTranslation } from '../../../infrastructure/stripe/events.ts'
import { stripeNotifications } from '../../../infrastructure/stripe/notifications.ts'
import { sessionReports } from '../../../infrastructure/stripe/session-reports.ts'
import { returnUrls } from '../../../interfaces/composition/compose-providers.ts'
import { fixedClock, NOON } from '../../support/fakes.ts'
import { SEALS } from '../../support/stripe/payment-gateways.ts'
import {
  adaptedStripeEvent,
  PAYLOAD_PAYMENT_INTENT_ID,
  PAYLOAD_PURCHASE_ID,
  PAYLOAD_SESSION_ID,
  STRIPE_EVENT_NAMES,
  signedDelivery,
  stripeEvent,
  stripePayload,
  stripeSignature,
} from '../../support/stripe/stripe-events.ts'

const SECRET = 'whsec_notifications'
/** Where the payloads' buyers come back to. */
const PAYLOAD_PUBLIC_URL = 'https://api.example.com'

function reader({ live = false } = {}) {
  const reportSession = sessionReports({ returnUrls: returnUrls(PAYLOAD_PUBLIC_URL), seals: SEALS })
  const translate = eventTranslation({ live, reportSession })
  return stripeNotifications({ live, webhookSecrets: [SECRET], translate, clock: fixedClock() })
    .verifyEvent
}

/** How an event is read that was delivered and signed just now. */
async function read(event: unknown, { live = false } = {}): Promise<PaymentEvent> {
  return reader({ live })(await signedDelivery(event, { secret: SECRET, at: NOON }))
}

function withoutEnvelope({ eventId, eventType, occurredAt, ...content }: PaymentEvent) {
  return content
}

const SESSION = {
  sessionId: PAYLOAD_SESSION_ID,
  purchaseId: PAYLOAD_PURCHASE_ID as PurchaseId,
  // The payloads do not say all that an order needs.
  order: null,
  amountSubtotal: 400,
  amountTotal: 400,
  amountDiscount: 0,
  amountTax: 0,
  currency: 'eur',
  live: false,
  singlePayment: true,
  paymentIntentId: PAYLOAD_PAYMENT_INTENT_ID,
  url: null,
}

type Content = ReturnType<typeof withoutEnvelope>

function session(outcome: SessionOutcome, own: object = {}): Content {
  return { kind: 'session', report: { ...SESSION, outcome, ...own } }
}

function refund(state: 'pending' | 'succeeded' | 'failed', own: object = {}): Content {
  const id = 're_3SWq1aLkdIwHu7ix0n1O2p3Q'
  const paymentIntentId = PAYLOAD_PAYMENT_INTENT_ID
  return { kind: 'refund', refund: { id, paymentIntentId, amount: 400, state, ...own } }
}

function dispute(state: 'inquiry' | 'open' | 'won' | 'lost', reportedAtS: number): Content {
  const id = 'du_1SWq9bLkdIwHu7ixV7w8X9y0'
  const reportedAt = new Date(reportedAtS * 1000)
  const paymentIntentId = PAYLOAD_PAYMENT_INTENT_ID
  return { kind: 'dispute', dispute: { id, paymentIntentId, state, reportedAt } }
}

const OTHER: Content = { kind: 'other' }
const HINT: Content = { kind: 'refund_hint', paymentIntentId: PAYLOAD_PAYMENT_INTENT_ID }

/** What each of the payloads means to Alibi. */
const MEANINGS: Readonly<Record<string, Content>> = {
  'charge.dispute.closed.lost': dispute('lost', 1796140000),
  'charge.dispute.closed.warning_closed': dispute('inquiry', 1796140000),
  'charge.dispute.closed.won': dispute('won', 1796140000),
  'charge.dispute.created.chargeback': dispute('open', 1795440000),
  'charge.dispute.created.inquiry': dispute('inquiry', 1795440000),
  'charge.dispute.funds_reinstated': dispute('won', 1796140001),
  'charge.dispute.funds_withdrawn': dispute('open', 1795440001),
  'charge.dispute.updated.under_review': dispute('open', 1795540000),
  'charge.refund.updated': refund('failed'),
  'charge.refunded.full': HINT,
  'charge.refunded.partial': HINT,
  'charge.succeeded': OTHER,
  'checkout.session.async_payment_failed': session('failed'),
  'checkout.session.async_payment_succeeded': session('paid'),
  'checkout.session.completed.foreign': session('paid', {
    sessionId: stripeEvent('checkout.session.completed.foreign').data.object['id'],
    purchaseId: null,
    amountSubtotal: 19900,
    amountTotal: 19900,
    currency: 'usd',
    paymentIntentId: 'pi_3SWq7fLkdIwHu7ix1P2q3R4s',
  }),
  'checkout.session.completed.missing_email': session('paid', { purchaseId: null }),
  'checkout.session.completed.no_payment_required': session('paid', {
    amountTotal: 0,
    amountDiscount: 400,
    paymentIntentId: null,
  }),
  'checkout.session.completed.other_email_typed': session('paid'),
  'checkout.session.completed.paid': session('paid'),
  'checkout.session.completed.unpaid': session('processing'),
  'checkout.session.expired': session('expired', {
    sessionId: stripeEvent('checkout.session.expired').data.object['id'],
    paymentIntentId: null,
  }),
  'customer.created.unhandled': OTHER,
  'payment_intent.canceled': OTHER,
  'payment_intent.created': OTHER,
  'payment_intent.payment_failed': OTHER,
  'payment_intent.processing': OTHER,
  'payment_intent.succeeded': OTHER,
  'refund.created.partial': refund('succeeded', {
    id: 're_3SWq1aLkdIwHu7ix0r4S5t6U',
    amount: 150,
  }),
  'refund.created.pending': refund('pending'),
  'refund.created.succeeded': refund('succeeded'),
  'refund.failed': refund('failed'),
  'refund.updated': refund('succeeded'),
}

describe('every payload of Stripe', () => {
  test('has a meaning', () => {
    expect(Object.keys(MEANINGS)).toEqual([...STRIPE_EVENT_NAMES])
  })

  test.each(Object.entries(MEANINGS))('%s is read for what it is', async (name, meaning) => {
    const payload = stripePayload(name)
    const notification = await reader()({
      payload: new TextEncoder().encode(payload),
      signature: await stripeSignature(payload, SECRET, NOON),
    })
    const { id, type, created } = stripeEvent(name)
    expect(notification).toEqual({
      eventId: id,
      eventType: type,
      occurredAt: new Date(Number(created) * 1000),
      ...meaning,
    } as PaymentEvent)
  })
})

describe('the event types that Alibi acts on', () => {
  test('are the types of the payloads that mean something, and no more than Stripe lists at once', () => {
    const meant = Object.entries(MEANINGS)
      .filter(([, { kind }]) => kind !== 'other')
      .map(([name]) => stripeEvent(name).type)
    expect(new Set<string>(EVENT_TYPES)).toEqual(new Set(meant))
    expect(EVENT_TYPES.length).toBeLessThanOrEqual(20)
  })
})

describe('refund and dispute events', () => {
  test.each([
    ['requires_action', 'pending'],
    ['pending', 'pending'],
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
    ['something_new', 'pending'],
    [null, 'pending'],
  ])('a refund that is %p counts as %s', async (status, state) => {
    const event = adaptedStripeEvent('refund.updated', { fields: { status } })
    expect(await read(event)).toMatchObject({ refund: { state } })
  })

  test.each([
    ['warning_needs_response', 'inquiry'],
    ['warning_under_review', 'inquiry'],
    ['warning_closed', 'inquiry'],
    ['needs_response', 'open'],
    ['under_review', 'open'],
    ['prevented', 'open'],
    ['appeal_needs_response', 'open'],
    ['appeal_under_review', 'open'],
    ['something_new', 'open'],
    ['won', 'won'],
    ['lost', 'lost'],
  ])('a dispute that is %s counts as %s', async (status, state) => {
    const event = adaptedStripeEvent('charge.dispute.updated.under_review', { fields: { status } })
    expect(await read(event)).toMatchObject({ dispute: { state } })
  })

  const MONEY_EVENTS = [
    'refund.created.succeeded',
    'charge.refund.updated',
    'charge.refunded.full',
    'charge.dispute.created.chargeback',
  ]

  test.each(MONEY_EVENTS)('%s of money that did not come through us is nothing', async (name) => {
    const event = adaptedStripeEvent(name, { fields: { payment_intent: null } })
    expect(withoutEnvelope(await read(event))).toEqual(OTHER)
  })

  test.each(MONEY_EVENTS)('%s of the other mode is nothing', async (name) => {
    const live = adaptedStripeEvent(name, { envelope: { livemode: true } })
    expect(withoutEnvelope(await read(live))).toEqual(OTHER)
    expect(withoutEnvelope(await read(live, { live: true }))).not.toEqual(OTHER)
    expect(withoutEnvelope(await read(stripeEvent(name), { live: true }))).toEqual(OTHER)
  })

  test('a refund without an amount is a fault, and no refund', async () => {
    const event = adaptedStripeEvent('refund.updated', { fields: { amount: '400' } })
    await expect(read(event)).rejects.toThrow('without an amount')
  })

  test('a payment intent that comes as a whole object is read by its id', async () => {
    const fields = { payment_intent: { id: 'pi_whole', object: 'payment_intent' } }
    const event = adaptedStripeEvent('refund.created.succeeded', { fields })
    expect(await read(event)).toMatchObject({ refund: { paymentIntentId: 'pi_whole' } })
  })
})

describe('session events', () => {
  const COMPLETED = 'checkout.session.completed.paid'

  test('of the other mode are reported, and say so', async () => {
    const envelope = { livemode: true }
    const event = adaptedStripeEvent(COMPLETED, { fields: { livemode: true }, envelope })
    expect(await read(event)).toMatchObject({ kind: 'session', report: { live: true } })
  })

  test.each(['setup', 'subscription'])(
    'of mode %s are reported as no single payment',
    async (mode) => {
      const fields = { mode, amount_total: null, amount_subtotal: null, currency: null }
      expect(await read(adaptedStripeEvent(COMPLETED, { fields }))).toMatchObject({
        kind: 'session',
        report: { singlePayment: false, amountTotal: 0, amountSubtotal: 0, currency: '' },
      })
    },
  )

  test('that complete in an unknown way are not paid', async () => {
    const event = adaptedStripeEvent(COMPLETED, { fields: { payment_status: 'something_new' } })
    expect(await read(event)).toMatchObject({ report: { outcome: 'processing' } })
  })

  test.each([
    [{ client_reference_id: 'pur_other' }],
    [{ client_reference_id: null }],
    [{ client_reference_id: '', metadata: { purchase_id: '' } }],
    [{ metadata: {} }],
    [{ metadata: null }],
  ])('with %j name no purchase', async (fields) => {
    const event = adaptedStripeEvent(COMPLETED, { fields })
    expect(await read(event)).toMatchObject({ report: { purchaseId: null } })
  })
})
