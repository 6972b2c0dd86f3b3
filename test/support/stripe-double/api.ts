import type Stripe from 'stripe'
import type { Account } from './account.ts'
import {
  booleanOf,
  type Form,
  formOf,
  integerOf,
  refuseUnknown,
  requiredText,
  textOf,
} from './form.ts'
import { listPage } from './listing.ts'
import { refundCharge } from './refunds.ts'
import { invalidRequest, missingResource, Refusal } from './refusal.ts'
import { readSessionOrder } from './session-order.ts'
import {
  createEndpoint,
  deleteEndpoint,
  listDestinations,
  updateEndpoint,
} from './webhook-endpoints.ts'

type Handler = (account: Account, request: { id: string; form: Form }) => object

/** The part of Stripe's API that is played, by route. Handlers throw a `Refusal` where Stripe would refuse. */
const ROUTES: Readonly<Record<string, Handler>> = {
  'POST /v1/checkout/sessions'(account, { form }) {
    const now = account.mode().created
    const session = account.createSession(readSessionOrder(form, { ...account, now }))
    return expanded(account, session, form)
  },
  'GET /v1/checkout/sessions'(account, { form }) {
    account.expireOverdue()
    refuseUnknown(form, ['status', 'payment_intent', 'expand', ...PAGING])
    const listed = listPage(account.sessions.values(), {
      query: form,
      url: '/v1/checkout/sessions',
      matches: matching(form, ['status', 'payment_intent']),
    })
    const data = listed.data.map((one) => expanded(account, one, form, 'data.payment_intent'))
    return { ...listed, data }
  },
  'GET /v1/checkout/sessions/:id': (account, { id, form }) =>
    expanded(account, account.findSession(id), form),
  'POST /v1/checkout/sessions/:id/expire'(account, { id, form }) {
    account.expireSession(id)
    return expanded(account, account.findSession(id), form)
  },
  'GET /v1/prices/:id'(account, { id, form }) {
    const { currency_options: options, ...price } = found(account.prices, 'price', id)
    const wanted = Object.values(formOf(form, 'expand') ?? {})
    const unknown = wanted.find((field) => field !== 'currency_options')
    if (unknown !== undefined)
      throw invalidRequest(`This property cannot be expanded (${unknown}).`)
    return wanted.length > 0 && options ? { ...price, currency_options: options } : price
  },
  'GET /v1/webhook_endpoints'(account, { form }) {
    refuseUnknown(form, PAGING)
    const url = '/v1/webhook_endpoints'
    return listPage(account.webhookEndpoints.values(), { query: form, url, matches: () => true })
  },
  'POST /v1/webhook_endpoints': (account, { form }) => createEndpoint(account, form),
  'POST /v1/webhook_endpoints/:id': (account, { id, form }) => updateEndpoint(account, id, form),
  'DELETE /v1/webhook_endpoints/:id': (account, { id }) => deleteEndpoint(account, id),
  'GET /v2/core/event_destinations': (account, { form }) => listDestinations(account, form),
  'GET /v1/payment_intents'(account, { form }) {
    refuseUnknown(form, PAGING)
    const url = '/v1/payment_intents'
    return listPage(account.intents.values(), { query: form, url, matches: () => true })
  },
  'GET /v1/charges'(account, { form }) {
    refuseUnknown(form, ['payment_intent', ...PAGING])
    const matches = matching(form, ['payment_intent'])
    return listPage(account.charges.values(), { query: form, url: '/v1/charges', matches })
  },
  'GET /v1/payment_intents/:id': (account, { id }) => found(account.intents, 'payment_intent', id),
  'POST /v1/payment_intents/:id/cancel'(account, { id, form }) {
    refuseUnknown(form, ['cancellation_reason'])
    const { status } = found(account.intents, 'payment_intent', id)
    if (!status.startsWith('requires_')) {
      const message = `You cannot cancel this PaymentIntent because it has a status of ${status}.`
      throw invalidRequest(message, { code: 'payment_intent_unexpected_state' })
    }
    const intent = account.changeIntent(id, { status: 'canceled' })
    account.emit('payment_intent.canceled', intent)
    return intent
  },
  'GET /v1/refunds'(account, { form }) {
    refuseUnknown(form, ['payment_intent', 'charge', ...PAGING])
    const intentId = textOf(form, 'payment_intent')
    if (intentId !== null) found(account.intents, 'payment_intent', intentId)
    return listPage(account.refunds.values(), {
      query: form,
      url: '/v1/refunds',
      matches: matching(form, ['payment_intent', 'charge']),
    })
  },
  'POST /v1/refunds'(account, { form }) {
    refuseUnknown(form, ['payment_intent', 'amount', 'reason', 'metadata', 'expand'])
    const intent = found(account.intents, 'payment_intent', requiredText(form, 'payment_intent'))
    const charge = account.charges.get(intent.id)
    if (!charge) throw invalidRequest(`This PaymentIntent (${intent.id}) has no charge to refund.`)
    const amount = integerOf(form, 'amount')
    const { refund: status } = account.answers
    return refundCharge(account, charge, { amount, status, reason: readReason(form) }).refund
  },
  'GET /v1/disputes'(account, { form }) {
    refuseUnknown(form, ['payment_intent', 'charge', ...PAGING])
    return listPage(account.disputes.values(), {
      query: form,
      url: '/v1/disputes',
      matches: matching(form, ['payment_intent', 'charge']),
    })
  },
  'GET /v1/events'(account, { form }) {
    account.expireOverdue()
    refuseUnknown(form, ['type', 'types', 'delivery_success', ...PAGING])
    const types = readEventTypes(form)
    const isDelivered = booleanOf(form, 'delivery_success')
    const oldest = account.mode().created - EVENTS_KEPT_S
    const listed = listPage(account.events, {
      query: form,
      url: '/v1/events',
      matches: ({ id, type, created }) =>
        created >= oldest &&
        (types.length === 0 || types.includes(type)) &&
        (isDelivered === null || isDelivered === account.delivered.has(id)),
    })
    const pendingOf = (id: string) => (account.delivered.has(id) ? 0 : 1)
    const data = listed.data.map((event) => ({ ...event, pending_webhooks: pendingOf(event.id) }))
    return { ...listed, data }
  },
}

const PAGING = ['created', 'limit', 'starting_after', 'ending_before']
const EVENT_TYPES_MAX = 20
const EVENTS_KEPT_S = 30 * 24 * 3600
const REFUND_REASONS = ['duplicate', 'fraudulent', 'requested_by_customer']

export type Call = { readonly route: string; readonly id: string }

/** Which route a request is for, such as `GET /v1/prices/:id`, and the id in its path. Null for none of them. */
export function findRoute(method: string, path: string): Call | null {
  for (const route of Object.keys(ROUTES)) {
    const [routeMethod, pattern = ''] = route.split(' ')
    const matched = new RegExp(`^${pattern.replace(':id', '([^/]+)')}$`).exec(path)
    if (method === routeMethod && matched)
      return { route, id: decodeURIComponent(matched[1] ?? '') }
  }
  return null
}

export function answerCall(account: Account, { route, id }: Call, form: Form): object {
  const handler = ROUTES[route]
  if (!handler) throw new Refusal(404, { type: 'invalid_request_error', message: 'No such route' })
  return handler(account, { id, form })
}

function found<Item>(items: ReadonlyMap<string, Item>, kind: string, id: string): Item {
  const item = items.get(id)
  if (!item) throw missingResource(kind, id)
  return item
}

function matching(form: Form, fields: readonly string[]): (item: object) => boolean {
  const wanted = fields.map((field) => [field, textOf(form, field)] as const)
  return (item) => wanted.every(([field, value]) => !value || Reflect.get(item, field) === value)
}

/** https://docs.stripe.com/api/events/list: one type, or up to 20 of them. None means all. */
function readEventTypes(form: Form): readonly (string | Form)[] {
  const type = textOf(form, 'type')
  const types = Object.values(formOf(form, 'types') ?? {})
  if (type !== null && types.length > 0) {
    throw invalidRequest('You may only specify one of these parameters: type, types.')
  }
  if (types.length > EVENT_TYPES_MAX) {
    throw invalidRequest('You may only list up to 20 types.', { param: 'types' })
  }
  return type === null ? types : [type]
}

function readReason(form: Form): string | null {
  const reason = textOf(form, 'reason')
  if (reason !== null && !REFUND_REASONS.includes(reason)) {
    throw invalidRequest(`Invalid reason: ${reason}`, { param: 'reason' })
  }
  return reason
}

/** https://docs.stripe.com/api/expanding_objects: without `expand[]` an intent is only its id. */
function expanded(
  account: Account,
  session: Stripe.Checkout.Session,
  form: Form,
  expandable = 'payment_intent',
): Stripe.Checkout.Session {
  const wanted = Object.values(formOf(form, 'expand') ?? {})
  const unknown = wanted.find((field) => field !== expandable)
  if (unknown !== undefined) throw invalidRequest(`This property cannot be expanded (${unknown}).`)
  const intent = account.intents.get(String(session.payment_intent))
  return wanted.length > 0 && intent ? { ...session, payment_intent: intent } : session
}
