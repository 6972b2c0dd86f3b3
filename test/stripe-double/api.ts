import type Stripe from 'stripe'
import type { Account } from './account.ts'
import { type Form, formOf, integerOf, refuseUnknown, textOf } from './form.ts'
import { listPage } from './listing.ts'
import { refundCharge } from './refunds.ts'
import { invalidRequest, missingResource, Refusal } from './refusal.ts'
import { readSessionOrder } from './session-order.ts'

type Handler = (account: Account, request: { id: string; form: Form }) => object

/** The part of Stripe's API that is played, by route. Handlers throw a `Refusal` where Stripe would refuse. */
const ROUTES: Readonly<Record<string, Handler>> = {
  'POST /v1/checkout/sessions'(account, { form }) {
    const now = account.mode().created
    const session = account.createSession(readSessionOrder(form, { prices: account.prices, now }))
    return expanded(account, session, form)
  },
  'GET /v1/checkout/sessions'(account, { form }) {
    account.expireOverdue()
    refuseUnknown(form, ['status', 'payment_intent', ...PAGING])
    const found = [...account.sessions.values()]
      .filter(matching(form, 'status'))
      .filter(matching(form, 'payment_intent'))
    return listPage(found, form, '/v1/checkout/sessions')
  },
  'GET /v1/checkout/sessions/:id': (account, { id, form }) =>
    expanded(account, account.findSession(id), form),
  'POST /v1/checkout/sessions/:id/expire'(account, { id, form }) {
    account.expireSession(id)
    return expanded(account, account.findSession(id), form)
  },
  'GET /v1/prices/:id': (account, { id }) => found(account.prices, 'price', id),
  'GET /v1/payment_intents/:id': (account, { id }) => found(account.intents, 'payment_intent', id),
  'GET /v1/refunds'(account, { form }) {
    refuseUnknown(form, ['payment_intent', 'charge', ...PAGING])
    const intentId = textOf(form, 'payment_intent')
    if (intentId !== null) found(account.intents, 'payment_intent', intentId)
    const refunds = [...account.refunds.values()]
      .filter(matching(form, 'payment_intent'))
      .filter(matching(form, 'charge'))
    return listPage(refunds, form, '/v1/refunds')
  },
  'POST /v1/refunds'(account, { form }) {
    refuseUnknown(form, ['payment_intent', 'amount', 'reason', 'metadata', 'expand'])
    const intentId = textOf(form, 'payment_intent') ?? ''
    const intent = found(account.intents, 'payment_intent', intentId)
    const charge = account.charges.get(intent.id)
    if (!charge) throw invalidRequest(`This PaymentIntent (${intent.id}) has no charge to refund.`)
    const amount = integerOf(form, 'amount')
    return refundCharge(account, charge, { amount, status: 'succeeded' }).refund
  },
  'GET /v1/disputes'(account, { form }) {
    refuseUnknown(form, ['payment_intent', 'charge', ...PAGING])
    const disputes = [...account.disputes.values()]
      .filter(matching(form, 'payment_intent'))
      .filter(matching(form, 'charge'))
    return listPage(disputes, form, '/v1/disputes')
  },
  'GET /v1/events'(account, { form }) {
    account.expireOverdue()
    refuseUnknown(form, ['type', 'types', ...PAGING])
    const types = Object.values(formOf(form, 'types') ?? {})
    const events = account.events
      .filter(matching(form, 'type'))
      .filter((event) => types.length === 0 || types.includes(event.type))
    return listPage(events, form, '/v1/events')
  },
}

const PAGING = ['created', 'limit', 'starting_after', 'ending_before', 'expand']

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

function matching(form: Form, field: string): (item: object) => boolean {
  const wanted = textOf(form, field)
  return (item) => wanted === null || Reflect.get(item, field) === wanted
}

/** https://docs.stripe.com/api/expanding_objects: without `expand[]` an intent is only its id. */
function expanded(account: Account, session: Stripe.Checkout.Session, form: Form): object {
  const wanted = Object.values(formOf(form, 'expand') ?? {})
  const unknown = wanted.find((field) => field !== 'payment_intent')
  if (unknown !== undefined) throw invalidRequest(`This property cannot be expanded (${unknown}).`)
  const intent = account.intents.get(String(session.payment_intent))
  return wanted.length > 0 && intent ? { ...session, payment_intent: intent } : session
}
