import type { Email } from '../../domain/email.ts'
import { draftPurchase, type Purchase, type PurchaseId } from '../../domain/purchase.ts'
import { NOON } from '../fakes.ts'

export const ANNA = 'anna@example.com' as Email
export const BERT = 'bert@example.com' as Email

/** A purchase that was just begun, but for what the test says of it. */
export function openPurchase(id: string, own: Partial<Purchase> = {}): Purchase {
  const draft = draftPurchase({
    id: id as PurchaseId,
    email: ANNA,
    price: { amount: 400, currency: 'eur' },
    live: false,
    now: NOON,
  })
  return { ...draft, ...own }
}

/** Paid through the payment intent `pi_` + id, but for what the test says of it. */
export function paidPurchase(id: string, own: Partial<Purchase> = {}): Purchase {
  return openPurchase(id, {
    state: 'paid',
    sessionId: `cs_${id}`,
    paymentIntentId: `pi_${id}`,
    paidAt: new Date(NOON.getTime() + 60_000),
    amountPaid: 400,
    ...own,
  })
}
