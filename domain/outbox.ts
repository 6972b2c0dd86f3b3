import type { Brand } from './brand.ts'
import { DAY_MS, HOUR_MS } from './duration.ts'
import type { Email } from './email.ts'
import type { Language } from './language.ts'
import type { Price, PurchaseId } from './order.ts'
import { isRetained, type Reversals } from './premium-grant.ts'
import type { Purchase } from './purchase.ts'
import type { SessionOutcome } from './session-report.ts'

/**
 * What a purchase may ask of a provider: a mail about how its payment ended, or the refund of a duplicate payment. Each
 * is carried out at least once, and only once while the provider remembers the key; a mail server remembers none.
 */
export const OUTBOX_KINDS = ['payment_confirmed', 'payment_failed', 'duplicate_refund'] as const
export type OutboxKind = (typeof OUTBOX_KINDS)[number]

/** A message's name here and the idempotency key under which the provider is asked: kind and purchase. */
export type OutboxKey = Brand<string, 'OutboxKey'>

// Why: docs/decisions.md#the-outbox-belongs-to-the-transaction-of-its-cause
/** Stored together with its cause, and carried out afterwards. A purchase has at most one of each kind. */
export type OutboxMessage = OutboxTerms & OutboxProgress

type OutboxTerms = {
  readonly key: OutboxKey
  readonly kind: OutboxKind
  readonly purchaseId: PurchaseId
  readonly email: Email
  readonly language: Language
  /** What the buyer was asked to pay, or has paid. */
  readonly amount: Price
  readonly createdAt: Date
  readonly attempts: number
}

export type OutboxProgress =
  | { readonly state: 'waiting'; readonly dueAt: Date }
  /** `dropped`: it was no longer wanted. `given_up`: an operator has to see to it. */
  | { readonly state: 'done' | 'dropped' | 'given_up'; readonly endedAt: Date }

/** Longer than the service waits for any provider, so that no attempt overtakes the one before it. */
const FIRST_WAIT_MS = 30_000
export const WAIT_MAX_MS = HOUR_MS
/** The number of attempts in three days of such waits. */
export const ATTEMPTS_MAX = 78

/**
 * How long the providers remember an idempotency key, and with it what they have done already:
 * https://docs.stripe.com/api/idempotent_requests, https://resend.com/docs/dashboard/emails/idempotency-keys.
 */
const KEY_LIFETIME_MS = DAY_MS

/** The messages that follow from one step of a purchase. None follow where its state stays the same. */
export function messagesAbout(
  {
    before,
    after,
    outcome,
    lost,
  }: {
    before: Purchase
    after: Purchase
    outcome: SessionOutcome
    /** The refunds and disputes of a purchase whose row was lost together with its messages. Null for any other. */
    lost: Reversals | null
  },
  {
    hasPremium,
    refundDuplicates,
    now,
  }: { hasPremium: boolean; refundDuplicates: boolean; now: Date },
): readonly OutboxMessage[] {
  if (before.state === after.state) return []
  // A buyer who has all the money back needs no mail about its payment.
  if (lost && isGivenBack(after, lost)) return []
  if (after.state === 'paid' && after.isDuplicate) {
    // Where a voucher paid for everything there is nothing to give back.
    const isRefundable = refundDuplicates && after.paymentIntentId !== null
    return isRefundable ? [draftMessage('duplicate_refund', after, now)] : []
  }
  // The mail may have been sent before. It may be sent again only while the provider still knows its key.
  if (lost && now.getTime() - after.createdAt.getTime() > KEY_LIFETIME_MS) return []
  if (after.state === 'paid') return [draftMessage('payment_confirmed', after, now)]
  const isBadNews = after.state === 'closed' && outcome === 'failed' && !hasPremium
  return isBadNews ? [draftMessage('payment_failed', after, now)] : []
}

function isGivenBack(purchase: Purchase, reversals: Reversals): boolean {
  if (purchase.state !== 'paid') return false
  return !isRetained({ amountPaid: purchase.amountPaid, ...reversals })
}

export function draftMessage(kind: OutboxKind, purchase: Purchase, now: Date): OutboxMessage {
  const { id, email, language, price } = purchase
  const amount = purchase.state === 'paid' ? { ...price, amount: purchase.amountPaid } : price
  return {
    key: `${kind}:${id}` as OutboxKey,
    kind,
    purchaseId: id,
    email,
    language,
    amount,
    createdAt: now,
    attempts: 0,
    state: 'waiting',
    dueAt: now,
  }
}

/**
 * Begins an attempt and sets the moment of the next one, so that a failed or killed attempt needs no further write. The
 * waits grow from half a minute to an hour; after three days of them the message is given up.
 */
export function beginAttempt(message: OutboxMessage, now: Date): OutboxMessage {
  if (message.state !== 'waiting') return message
  if (message.attempts >= ATTEMPTS_MAX) return endMessage(message, 'given_up', now)
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** message.attempts, WAIT_MAX_MS)
  const dueAt = new Date(now.getTime() + waitMs)
  return { ...termsOf(message), attempts: message.attempts + 1, state: 'waiting', dueAt }
}

/** A message that has ended stays as it is. */
export function endMessage(
  message: OutboxMessage,
  state: 'done' | 'dropped' | 'given_up',
  now: Date,
): OutboxMessage {
  return message.state === 'waiting' ? { ...termsOf(message), state, endedAt: now } : message
}

function termsOf(message: OutboxMessage): OutboxTerms {
  const { key, kind, purchaseId, email, language, amount, createdAt, attempts } = message
  return { key, kind, purchaseId, email, language, amount, createdAt, attempts }
}
