import { readdirSync, readFileSync } from 'node:fs'
import Stripe from 'stripe'

export type StripeObject = Record<string, unknown>

/** One of the payloads in stripe-events/, each made of the SDK's own types and of no real account. */
export type StripeEvent = {
  id: string
  object: 'event'
  type: string
  created: number
  livemode: boolean
  data: { object: StripeObject; previous_attributes?: StripeObject }
  [field: string]: unknown
}

const FOLDER = new URL('../../stripe-events/', import.meta.url)

/** Every event among the payloads, by file name without `.json`. */
export const STRIPE_EVENT_NAMES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json') && !file.startsWith('api.'))
  .map((file) => file.slice(0, -'.json'.length))
  .sort()

/** The names in the payloads that stand for this test's own. */
export const PAYLOAD_PURCHASE_ID = 'pur_01KAJ2Q8W5T7N3M9X4C6V8B1ZD'
export const PAYLOAD_SESSION_ID =
  'cs_test_a1Qv8mR3kTz6YpLw2NbXc9Jd4HsGf7Ue5Oi0KqWyMxBtVnZrPaDlCjShEg'
export const PAYLOAD_PAYMENT_INTENT_ID = 'pi_3SWq1aLkdIwHu7ix0b1C2d3E'
const PAYLOAD_EMAIL = 'mario.rossi@example.com'

/** The bytes of a payload, as its file has them. */
export function stripePayload(name: string): string {
  return readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')
}

export function stripeEvent(name: string): StripeEvent {
  return JSON.parse(stripePayload(name))
}

/** The object in an event, or the object itself where the payload is an answer of the API. */
export function stripeObject(name: string): StripeObject {
  const payload = JSON.parse(stripePayload(name))
  return payload.object === 'event' ? payload.data.object : payload
}

/**
 * A payload's event, made to fit a test: its ids and address replaced wherever they occur, `fields` set on the object
 * and `envelope` on the event.
 */
export function adaptedStripeEvent(
  name: string,
  {
    purchaseId = PAYLOAD_PURCHASE_ID,
    sessionId = PAYLOAD_SESSION_ID,
    paymentIntentId = PAYLOAD_PAYMENT_INTENT_ID,
    email = PAYLOAD_EMAIL,
    fields = {},
    envelope = {},
  }: {
    purchaseId?: string
    sessionId?: string
    paymentIntentId?: string
    email?: string
    fields?: StripeObject
    envelope?: Partial<StripeEvent>
  } = {},
): StripeEvent {
  const event: StripeEvent = JSON.parse(
    stripePayload(name)
      .replaceAll(PAYLOAD_PURCHASE_ID, purchaseId)
      .replaceAll(PAYLOAD_SESSION_ID, sessionId)
      .replaceAll(PAYLOAD_PAYMENT_INTENT_ID, paymentIntentId)
      .replaceAll(PAYLOAD_EMAIL, email),
  )
  const object = { ...event.data.object, ...fields }
  return { ...event, ...envelope, data: { ...event.data, object } }
}

/** What Stripe would put into `Stripe-Signature` at this moment. */
export function stripeSignature(payload: string, secret: string, at: Date): Promise<string> {
  const timestamp = Math.floor(at.getTime() / 1000)
  return Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp })
}

/** An event as it is delivered: its bytes and their signature. */
export async function signedDelivery(
  event: unknown,
  { secret, at }: { secret: string; at: Date },
): Promise<{ payload: Uint8Array; signature: string }> {
  const payload = JSON.stringify(event, null, 2)
  const signature = await stripeSignature(payload, secret, at)
  return { payload: new TextEncoder().encode(payload), signature }
}
