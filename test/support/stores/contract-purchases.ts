import { MINUTE_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import {
  draftPurchase,
  type Purchase,
  type PurchaseState,
  type ReviewReason,
} from '../../../domain/purchase.ts'
import { NOON } from '../fakes.ts'

export const ANNA = 'anna@example.com' as Email
export const BERT = 'bert@example.com' as Email

/** What a test says of a purchase. That it makes sense is the test's own affair. */
type Own = Partial<Omit<Extract<Purchase, { state: 'paid' }>, 'state'>> & {
  readonly state?: PurchaseState
  readonly reviewReason?: ReviewReason
  readonly amountReceived?: number
}

/** A purchase that was just begun, but for what the test says of it. */
export function openPurchase(id: string, own: Own = {}): Purchase {
  const draft = draftPurchase({
    id: id as PurchaseId,
    email: ANNA,
    language: 'sv',
    price: { amount: 400, currency: 'eur' },
    live: false,
    now: NOON,
  })
  return { ...draft, ...own } as Purchase
}

/** Paid through the payment intent `pi_` + id, but for what the test says of it. */
export function paidPurchase(id: string, own: Own = {}): Purchase {
  return openPurchase(id, {
    state: 'paid',
    sessionId: `cs_${id}`,
    paymentIntentId: `pi_${id}`,
    paidAt: new Date(NOON.getTime() + MINUTE_MS),
    amountPaid: 400,
    isDuplicate: false,
    revokedAt: null,
    ...own,
  })
}

/** A part of the money of `paidPurchase('one')` on its way back. */
export const REFUND = {
  id: 're_1',
  paymentIntentId: 'pi_one',
  amount: 100,
  state: 'pending',
} as const

/** The sandbox provider's side of `openPurchase('one')`. */
export const SESSION = {
  sessionId: 'cs_one',
  purchaseId: openPurchase('one').id,
  customerEmail: ANNA,
  price: { amount: 400, currency: 'eur' },
  state: 'open',
  createdAt: NOON,
  expiresAt: NOON,
  paymentIntentId: null,
} as const
