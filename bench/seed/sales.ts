import {
  adaptedStripeEvent,
  type StripeEvent,
  signedDelivery,
} from '../../test/support/stripe/stripe-events.ts'
import { SECRETS } from '../servers/secrets.ts'
import { emailOf, paymentIntentIdOf, purchaseIdOf, sessionIdOf } from './addresses.ts'

/** A notification as it goes over the wire. */
export type Delivery = { readonly body: Uint8Array<ArrayBuffer>; readonly signature: string }

/**
 * What Stripe tells of so many sales, from the open purchase of number `first` on, each sale in its order: payments,
 * some of them told twice, refunds, disputes, another shop's payments, and kinds of events that Alibi does not know.
 */
export async function notificationsOfSales(first: number, sales: number): Promise<Delivery[]> {
  const events = Array.from({ length: sales }, (_, sale) => eventsOf(first + sale, sale)).flat()
  const at = new Date()
  const secret = SECRETS.STRIPE_WEBHOOK_SECRET
  return Promise.all(
    events.map(async (event) => {
      const { payload, signature } = await signedDelivery(event, { secret, at })
      return { body: new Uint8Array(payload), signature }
    }),
  )
}

function eventsOf(number: number, sale: number): StripeEvent[] {
  const told = (name: string, fields = {}) =>
    adaptedStripeEvent(name, {
      purchaseId: purchaseIdOf(number),
      sessionId: sessionIdOf(number),
      paymentIntentId: paymentIntentIdOf(number),
      email: emailOf(number),
      fields,
      envelope: { id: `evt_${name.replaceAll(/\W/g, '')}${number}` },
    })
  const paid = told('checkout.session.completed.paid')
  return [
    ...(sale % 2 === 0 ? [told('payment_intent.created')] : []),
    paid,
    ...(sale % 4 === 0 ? [paid] : []),
    ...(sale % 6 === 0 ? [told('checkout.session.completed.foreign')] : []),
    ...(sale % 5 === 1 ? [told('refund.created.succeeded', { id: `re_${number}` })] : []),
    ...(sale % 5 === 2 ? [told('charge.dispute.created.chargeback', { id: `du_${number}` })] : []),
  ]
}
