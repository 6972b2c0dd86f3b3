import {
  PAYLOAD_PAYMENT_INTENT_ID,
  PAYLOAD_PURCHASE_ID,
  PAYLOAD_SESSION_ID,
  stripePayload,
  stripeSignature,
} from '../../test/support/stripe/stripe-events.ts'
import { SECRETS } from '../servers/secrets.ts'
import { emailOf, eventIdOf, paymentIntentIdOf, purchaseIdOf, sessionIdOf } from './addresses.ts'

const PAID = 'checkout.session.completed.paid'
const PAYLOAD_EMAIL = 'mario.rossi@example.com'
const PAYLOAD_EVENT_ID = 'evt_1SWq01LkdIwHu7ixompleted'

export type Notification = { readonly body: string; readonly signature: string }

/** What Stripe sends when the open purchases of these numbers are paid, signed at this moment. */
export async function payments(first: number, amount: number): Promise<readonly Notification[]> {
  const template = stripePayload(PAID)
  if (!template.includes(PAYLOAD_EVENT_ID)) throw new Error(`${PAID} has another id by now`)
  const at = new Date()
  return Promise.all(
    Array.from({ length: amount }, async (_, index) => {
      const body = paidBy(template, first + index)
      return { body, signature: await stripeSignature(body, SECRETS.STRIPE_WEBHOOK_SECRET, at) }
    }),
  )
}

function paidBy(template: string, number: number): string {
  return template
    .replaceAll(PAYLOAD_PURCHASE_ID, purchaseIdOf(number))
    .replaceAll(PAYLOAD_SESSION_ID, sessionIdOf(number))
    .replaceAll(PAYLOAD_PAYMENT_INTENT_ID, paymentIntentIdOf(number))
    .replaceAll(PAYLOAD_EMAIL, emailOf(number))
    .replaceAll(PAYLOAD_EVENT_ID, eventIdOf(number))
}
