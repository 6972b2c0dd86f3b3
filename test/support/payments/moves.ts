import type Stripe from 'stripe'
import { grantPremium } from '../../../application/customers/grant-premium.ts'
import { revokePremium } from '../../../application/customers/revoke-premium.ts'
import { reviewPurchase } from '../../../application/payments/review-purchase.ts'
import { HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { EMAIL } from '../http/http-client.ts'
import type { StripeEvent } from '../stripe/stripe-events.ts'
import { Refusal } from '../stripe-double/refusal.ts'
import type { PlayedShop } from './played-shop.ts'
import { isChargedBack, paidSessions, purchaseIdOf } from './premium-model.ts'

type Session = Stripe.Checkout.Session

/** `pick` chooses among whatever there is to choose from. False where the move cannot be made at this moment. */
type Play = (shop: PlayedShop, pick: number) => Promise<boolean> | boolean

export type Move = { readonly kind: MoveKind; readonly pick: number }
export type MoveKind = keyof typeof MOVES

/** None so long that 60 of them leave the eight days for which refunds and disputes are looked back upon. */
const PAUSES_MS = [1_000, 6 * MINUTE_MS, 29 * MINUTE_MS, 34 * MINUTE_MS, 3 * HOUR_MS]

/** All that can happen in a shop with one buyer. */
export const MOVES = {
  // The buyer.
  checkOut: always(checkOut),
  seePage: withOne(allSessions, seeSuccessPage),
  pay: withOne(openSessions, ({ stripe }, { id }) => stripe.pay(id)),
  payLate: withOne(openSessions, ({ stripe }, { id }) => stripe.payLate(id)),
  decline: withOne(openSessions, ({ stripe }, { id }) => stripe.decline(id)),
  expire: withOne(openSessions, ({ stripe }, { id }) => stripe.expire(id)),

  // The bank.
  moneyArrives: withOne(awaitedSessions, ({ stripe }, { id }) => stripe.lateSucceed(id)),
  moneyBounces: withOne(awaitedSessions, ({ stripe, bounced }, { id }) => {
    bounced.add(id)
    return stripe.lateFail(id)
  }),
  refundPart: withOne(
    ({ stripe }) => paidSessions(stripe),
    ({ stripe }, { id }, pick) =>
      stripe.refund(id, { amount: 1 + (pick % 399), pending: pick % 2 === 0 }),
  ),
  refundAll: withOne(
    ({ stripe }) => paidSessions(stripe),
    ({ stripe }, { id }, pick) => stripe.refund(id, { pending: pick % 2 === 0 }),
  ),
  refundArrives: withOne(refundsIn('pending'), ({ stripe }, { id }) => stripe.completeRefund(id)),
  refundBounces: withOne(refundsIn('pending', 'succeeded'), ({ stripe }, { id }) =>
    stripe.failRefund(id),
  ),
  chargeBack: withOne(disputable, ({ stripe }, { id }) => stripe.dispute(id, 'chargeback')),
  inquire: withOne(disputable, ({ stripe }, { id }) => stripe.dispute(id, 'inquiry')),
  escalate: withOne(inquiries, ({ stripe }, { id }) => stripe.escalate(id)),
  dropInquiry: withOne(inquiries, ({ stripe }, { id }) =>
    stripe.closeDispute(id, 'warning_closed'),
  ),
  winDispute: withOne(chargebacks, ({ stripe }, { id }) => stripe.closeDispute(id, 'won')),
  loseDispute: withOne(chargebacks, ({ stripe }, { id }) => stripe.closeDispute(id, 'lost')),

  // The way of the events.
  deliver: withOne(
    ({ waiting }) => waiting(),
    ({ deliver }, event) => deliver(event),
  ),
  deliverTwo: withOne(
    ({ waiting }) => waiting(),
    ({ deliver, waiting }, event, pick) =>
      Promise.all([deliver(event), ...oneOf(waiting(), pick + 1).map(deliver)]),
  ),
  deliverOld: withOne(oldEvents, ({ deliver }, event) => deliver(event)),
  loseOne: withOne(losable, (shop, event, pick) => lose(shop, [event], pick)),
  loseAll: withOne(losable, (shop, _, pick) => lose(shop, losable(shop), pick)),

  // Time, and what runs by itself.
  pause: withOne(
    () => PAUSES_MS,
    ({ clock }, milliseconds) => clock.advance(milliseconds),
  ),
  reconcile: withOne(
    () => ['due', 'all'] as const,
    ({ service }, only) => service.reconcile(only),
  ),
  sendOutbox: always(({ service }) => service.deliverOutbox()),

  // The operator.
  grant: always(({ service }) => grantPremium(service.ports, EMAIL)),
  revoke: always(({ service }) => revokePremium(service.ports, EMAIL)),
  look: withOne(allSessions, ({ service }, session) =>
    reviewPurchase(service.ports, purchaseIdOf(session)),
  ),
} satisfies Record<string, Play>

async function checkOut({ service }: PlayedShop): Promise<void> {
  const { status, text } = await service.post('/checkout', { email: EMAIL })
  if (status !== 200 && status !== 409) throw new Error(`checkout: ${status} ${text}`)
}

async function seeSuccessPage(
  { service, stripe, wasRestored }: PlayedShop,
  { id }: Session,
): Promise<void> {
  const isKnown = (await service.ports.purchases.findBySessionId(id)) !== null
  const { status, text } = await service.get(`/payment/success?session_id=${id}`)
  const isPaid = paidSessions(stripe).some((session) => session.id === id)
  // An unpaid page is forgotten with its row.
  const isForgotten = status === 404 && wasRestored() && !isPaid
  // The provider is asked about an unknown session once in a minute.
  const isAskedTooOften = status === 503 && wasRestored() && !isKnown
  if (status !== 200 && !isForgotten && !isAskedTooOften)
    throw new Error(`success page: ${status} ${text}`)
  if (text.includes('data-state="active"') && !isPaid) throw new Error('active, and nobody paid')
}

function oneOf<Item>(items: readonly Item[], pick: number): Item[] {
  return items.slice(pick % Math.max(items.length, 1)).slice(0, 1)
}

function always(act: (shop: PlayedShop) => unknown): Play {
  return async (shop) => {
    await act(shop)
    return true
  }
}

function withOne<Item>(
  find: (shop: PlayedShop) => readonly Item[],
  act: (shop: PlayedShop, item: Item, pick: number) => unknown,
): Play {
  return async (shop, pick) => {
    const [item] = oneOf(find(shop), pick)
    if (item === undefined) return false
    try {
      await act(shop, item, pick)
      return true
    } catch (error) {
      // Stripe does not give back what it does not have.
      if (error instanceof Refusal) return false
      throw error
    }
  }
}

function allSessions({ stripe: { sessions } }: PlayedShop): Session[] {
  return [...sessions.values()]
}

export function openSessions({ stripe: { sessions }, stripeClock }: PlayedShop): Session[] {
  const now = stripeClock.now().getTime() / 1000
  return [...sessions.values()].filter(
    ({ status, expires_at }) => status === 'open' && expires_at > now,
  )
}

export function awaitedSessions({ stripe: { sessions }, bounced }: PlayedShop): Session[] {
  return [...sessions.values()].filter(
    ({ id, status, payment_status }) =>
      status === 'complete' && payment_status === 'unpaid' && !bounced.has(id),
  )
}

function disputable({ stripe }: PlayedShop): Session[] {
  return paidSessions(stripe).filter(
    (session) =>
      !isChargedBack(stripe, session) &&
      [...stripe.disputes.values()].every(
        ({ payment_intent, status }) =>
          payment_intent !== session.payment_intent || status !== 'warning_needs_response',
      ),
  )
}

function refundsIn(...states: readonly string[]): (shop: PlayedShop) => Stripe.Refund[] {
  return ({ stripe: { refunds } }) =>
    [...refunds.values()].filter(({ status }) => states.includes(status ?? ''))
}

function inquiries({ stripe: { disputes } }: PlayedShop): Stripe.Dispute[] {
  return [...disputes.values()].filter(({ status }) => status === 'warning_needs_response')
}

function chargebacks({ stripe: { disputes } }: PlayedShop): Stripe.Dispute[] {
  return [...disputes.values()].filter(({ status }) => status === 'needs_response')
}

function losable({ waiting, areEventsLost }: PlayedShop): StripeEvent[] {
  return areEventsLost ? waiting() : []
}

/** Either Stripe knows that no endpoint took them, or it believes that one did. */
function lose({ lost, stripe }: PlayedShop, events: readonly StripeEvent[], pick: number): void {
  for (const event of events) {
    lost.add(event)
    if (pick % 2 === 0) stripe.markDelivered(event)
  }
}

/** Those that the webhook has seen. */
export function oldEvents({ stripe: { events }, waiting, lost }: PlayedShop) {
  const held = waiting()
  return events.filter((event) => !held.includes(event) && !lost.has(event))
}
