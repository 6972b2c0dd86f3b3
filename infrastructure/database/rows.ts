import type { DatedGrant } from '../../application/store.ts'
import type { Counted } from '../../domain/budget.ts'
import type { Email } from '../../domain/email.ts'
import type { Language } from '../../domain/language.ts'
import type { PurchaseId } from '../../domain/order.ts'
import type { CountedMail, Otp, OtpRecord } from '../../domain/otp.ts'
import type { OutboxKey, OutboxKind, OutboxMessage, OutboxProgress } from '../../domain/outbox.ts'
import {
  PURCHASE_STATES,
  type Purchase,
  type PurchaseProgress,
  type PurchaseState,
  type ReviewReason,
} from '../../domain/purchase.ts'
import type { SandboxSessionRecord } from '../sandbox/session.ts'

// The rows of the tables in any kind of database, and the domain's values that they stand for. A query gives moments as
// dates and flags as booleans; each kind of database stores those in its own way.

export type PurchaseRow = {
  readonly id: PurchaseId
  readonly email: Email
  readonly language: Language
  readonly priceAmount: number
  readonly priceCurrency: string
  readonly leastAmount: number | null
  readonly live: boolean
  readonly state: PurchaseState
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly sessionId: string | null
  readonly paymentIntentId: string | null
  readonly paidAt: Date | null
  readonly amountPaid: number | null
  readonly isDuplicate: boolean | null
  readonly reviewReason: ReviewReason | null
  readonly amountReceived: number | null
  readonly revokedAt: Date | null
}

export function toPurchaseRow({ price, ...purchase }: Purchase): PurchaseRow {
  return {
    paidAt: null,
    amountPaid: null,
    isDuplicate: null,
    reviewReason: null,
    amountReceived: null,
    revokedAt: null,
    ...purchase,
    priceAmount: price.amount,
    priceCurrency: price.currency,
  }
}

export function toPurchase(row: PurchaseRow): Purchase {
  const { id, email, language, leastAmount, live, createdAt, expiresAt } = row
  const { sessionId, paymentIntentId } = row
  const price = { amount: row.priceAmount, currency: row.priceCurrency }
  const order = { id, email, language, price, leastAmount, createdAt, expiresAt }
  return { ...order, live, sessionId, paymentIntentId, ...purchaseProgress(row) }
}

/** The table's own checks make sure that a state has what belongs to it. */
function purchaseProgress(row: PurchaseRow): PurchaseProgress {
  const { id, state, paidAt, amountPaid, isDuplicate, reviewReason, amountReceived, revokedAt } =
    row
  if (state === 'paid' && paidAt !== null && amountPaid !== null && isDuplicate !== null) {
    return { state, paidAt, amountPaid, isDuplicate, revokedAt }
  }
  if (state === 'review' && reviewReason !== null && amountReceived !== null) {
    return { state, reviewReason, amountReceived }
  }
  if (state === 'paid' || state === 'review') throw new Error(`the purchase ${id} lacks its facts`)
  return { state }
}

/** A fact of a paid purchase. The table's own checks make sure that what is paid has an amount and a moment. */
export function known<Fact>(fact: Fact | null): Fact {
  if (fact === null) throw new Error('a paid purchase lacks its facts')
  return fact
}

/** In the order of the statements of every database: they compare texts by their bytes, and ids are ASCII. */
export function byAge(left: DatedGrant, right: DatedGrant): number {
  return left.since.getTime() - right.since.getTime() || (left.id < right.id ? -1 : 1)
}

/** How many purchases there are in each state, from the counts of the states that there are. */
export function toPurchaseCounts(
  rows: readonly { readonly state: PurchaseState; readonly purchases: number }[],
): Record<PurchaseState, number> {
  const none = Object.fromEntries(PURCHASE_STATES.map((state) => [state, 0]))
  const counted = Object.fromEntries(rows.map(({ state, purchases }) => [state, purchases]))
  return { ...none, ...counted } as Record<PurchaseState, number>
}

export type MessageRow = {
  readonly key: OutboxKey
  readonly kind: OutboxKind
  readonly purchaseId: PurchaseId
  readonly email: Email
  readonly language: Language
  readonly amount: number
  readonly currency: string
  readonly createdAt: Date
  readonly attempts: number
  readonly state: OutboxMessage['state']
  readonly dueAt: Date | null
  readonly endedAt: Date | null
}

export function toMessageRow({ amount, ...message }: OutboxMessage): MessageRow {
  return { dueAt: null, endedAt: null, ...message, ...amount }
}

export function toMessage(row: MessageRow): OutboxMessage {
  const { key, kind, purchaseId, email, language, amount, currency, createdAt, attempts } = row
  const price = { amount, currency }
  const terms = { key, kind, purchaseId, email, language, amount: price, createdAt, attempts }
  return { ...terms, ...messageProgress(row) }
}

/** The table's own checks make sure that a state has its moment. */
function messageProgress({ key, state, dueAt, endedAt }: MessageRow): OutboxProgress {
  if (state === 'waiting' && dueAt !== null) return { state, dueAt }
  if (state !== 'waiting' && endedAt !== null) return { state, endedAt }
  throw new Error(`the message ${key} lacks its moment`)
}

/** Of one owner: its codes by their role, and its mails and wrong tries, in the order in which they were counted. */
export type OtpRows = {
  readonly otps: readonly { readonly role: 'current' | 'replacement'; readonly otp: Otp }[]
  readonly mails: readonly CountedMail[]
  readonly wrongTries: readonly Counted[]
}

export function toOtpRecord({ otps, mails, wrongTries }: OtpRows): OtpRecord {
  return {
    current: otps.find(({ role }) => role === 'current')?.otp ?? null,
    replacement: otps.find(({ role }) => role === 'replacement')?.otp ?? null,
    mails,
    wrongTries,
  }
}

export type SandboxSessionRow = Omit<SandboxSessionRecord, 'price'> & {
  readonly priceAmount: number
  readonly priceCurrency: string
}

export function toSandboxSessionRow({ price, ...record }: SandboxSessionRecord): SandboxSessionRow {
  return { ...record, priceAmount: price.amount, priceCurrency: price.currency }
}

export function toSandboxSession(row: SandboxSessionRow): SandboxSessionRecord {
  const { priceAmount, priceCurrency, ...record } = row
  return { ...record, price: { amount: priceAmount, currency: priceCurrency } }
}
