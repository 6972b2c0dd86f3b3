import type Stripe from 'stripe'
import type { Email } from '../../../domain/email.ts'
import { attachSession, draftPurchase } from '../../../domain/purchase.ts'
import { ORIGIN } from '../fakes.ts'
import type { openService } from '../service/real-service.ts'
import { PRICE } from '../stripe/payment-gateways.ts'
import { adaptedStripeEvent, type StripeEvent, stripeObject } from '../stripe/stripe-events.ts'
import type { StripeDouble } from '../stripe-double/stripe-double.ts'
import type { Sequence, Telling } from './stories.ts'

const OPEN_SESSION = stripeObject('api.checkout.session.open')
const OF_ONE_BUYER: readonly unknown[] = ['refund', 'dispute']

let buyers = 0

/**
 * A new buyer with a purchase and its session, put straight into database and double, and the events of one sequence
 * about them. The double knows the payment, and its refunds as they are in the end.
 */
export async function openToldBuyer(
  { service: { ports }, double }: { service: ReturnType<typeof openService>; double: StripeDouble },
  { story, deliveries, hasOwnEventIds }: Sequence,
) {
  const number = ++buyers
  const email = `buyer-${number}@example.com` as Email
  const sessionId = `cs_test_told_${number}`
  const now = ports.clock.now()
  const draft = { language: 'en', price: PRICE, live: false, now } as const
  const purchase = draftPurchase({ ...draft, id: ports.secrets.newPurchaseId(now), email })
  await ports.purchases.update(email, ORIGIN, () => ({
    purchase: attachSession(purchase, sessionId),
  }))

  const session: unknown = { ...OPEN_SESSION, id: sessionId, customer_email: email }
  double.sessions.set(sessionId, session as Stripe.Checkout.Session)
  double.payLate(sessionId)
  const paymentIntentId = String(double.sessions.get(sessionId)?.payment_intent)

  function tell({ payload, fields = {} }: Telling): StripeEvent {
    const ids = { sessionId, purchaseId: purchase.id, paymentIntentId, email }
    const event = adaptedStripeEvent(payload, { ...ids, fields })
    const { object } = event.data
    if (object['object'] === 'checkout.session') object['id'] = sessionId
    if (OF_ONE_BUYER.includes(object['object'])) object['id'] = `${object['id']}_${number}`
    return { ...event, id: `${event.id}_${number}` }
  }

  const events = new Map(story.tellings.map((telling) => [telling, tell(telling)]))
  for (const { data } of [...events.values(), ...(story.untold ?? []).map(tell)]) {
    const { object }: { object: unknown } = data
    if (isRefund(object)) double.refunds.set(object.id, object)
  }
  return {
    email,
    purchaseId: purchase.id,
    deliveries: deliveries.map((telling, index) => {
      const event = events.get(telling)!
      return hasOwnEventIds ? { ...event, id: `${event.id}_${index}` } : event
    }),
    /** Leaves the double as it was, so that it does not grow from buyer to buyer. */
    forget() {
      double.sessions.clear()
      double.refunds.clear()
      double.forgetEvents()
    },
  }
}

function isRefund(object: unknown): object is Stripe.Refund {
  return typeof object === 'object' && Reflect.get(object ?? {}, 'object') === 'refund'
}
