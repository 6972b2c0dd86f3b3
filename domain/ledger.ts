import type { DisputeState } from './dispute.ts'
import { DAY_MS } from './duration.ts'
import type { Email } from './email.ts'
import type { Actor, AuditEntry, GrantChangeReason } from './grant-change.ts'
import type { Price, PurchaseId } from './order.ts'
import type { OutboxKey, OutboxKind } from './outbox.ts'
import { isActive, type Payment, type PremiumGrant } from './premium-grant.ts'
import type { PurchaseState } from './purchase.ts'
import type { RefundState } from './refund.ts'

// Money and access leave records in several places. Each of them is compared here with those that it follows from.

/** A grant, with everything stored that follows from it. */
export type GrantRecord = Pick<PremiumGrant, 'email' | 'revokedAt'> & {
  readonly of: 'grant'
  /** The purchase's id for a purchase. */
  readonly id: string
  /** When it was paid, or given. */
  readonly since: Date
  /** Null when an operator gave it. */
  readonly sale: Sale | null
  /** Its own, oldest first. */
  readonly entries: readonly RecordedChange[]
}

type Sale = Payment & {
  /** When the purchase was begun. */
  readonly createdAt: Date
  readonly sessionId: string | null
  readonly isDuplicate: boolean
  /** The kinds of the messages that are stored about it. */
  readonly messages: readonly OutboxKind[]
}

type RecordedChange = Pick<AuditEntry, 'at' | 'by' | 'reason' | 'objectId' | 'isActive'>

/** A refund or a dispute. */
export type ReversalRecord = {
  readonly of: 'reversal'
  readonly id: string
  readonly type: 'refund' | 'dispute'
  readonly paymentIntentId: string
  /** Whether a purchase has its payment, or it is noted as one of a payment that is not known here (yet). */
  readonly isPlaced: boolean
}

export type MessageRecord = {
  readonly of: 'message'
  readonly id: OutboxKey
  readonly kind: OutboxKind
  readonly purchaseId: PurchaseId
  readonly email: Email
  readonly amount: Price
  readonly purchase: {
    readonly email: Email
    readonly state: PurchaseState
    readonly currency: string
    /** Null unless it is paid. */
    readonly amountPaid: number | null
  } | null
}

export type EntryRecord = {
  readonly of: 'entry'
  readonly id: string
  readonly grantId: string
  readonly email: Email
  readonly reason: GrantChangeReason
  readonly objectId: string
  /** The paid purchase or the operator's grant that has the id; null where there is none. */
  readonly grant: {
    readonly email: Email
    readonly isSale: boolean
    readonly revokedAt: Date | null
    readonly paymentIntentId: string | null
  } | null
  /** The refund or dispute that has the id of the object; null where there is none. */
  readonly reversal: {
    readonly paymentIntentId: string
    readonly state: RefundState | DisputeState
  } | null
}

export type LedgerRecord = GrantRecord | ReversalRecord | MessageRecord | EntryRecord

/** What can be wrong with the ledger. docs/payments.md says what to do about each. */
export const DISCREPANCY_KINDS = [
  'grant_without_cause',
  'payment_without_grant',
  'reversal_without_purchase',
  'confirmation_missing',
  'message_without_cause',
  'entry_missing',
  'entry_without_cause',
  'access_differs',
] as const
export type DiscrepancyKind = (typeof DISCREPANCY_KINDS)[number]

/** Two records that do not fit each other. Names ids, and no address. */
export type Discrepancy = {
  readonly kind: DiscrepancyKind
  /** What is wrong: a grant, refund, dispute, message, or the number of an entry of the audit trail. */
  readonly id: string
  /** The grant, purchase or payment that it belongs to. */
  readonly belongsTo: string
  /** The other record, such as the one that is missing. */
  readonly detail: string
}

export type AuditTerms = {
  /** Since when changes of grants and messages are recorded: older grants have no entry of their own. */
  readonly trailBegan: Date
  readonly now: Date
}

/** An entry of the trail is kept for longer. */
const ENTRIES_KEPT_MS = 1095 * DAY_MS
/** A message is kept for longer: 90 days, less a day for clocks that were set. */
const MESSAGES_KEPT_MS = 89 * DAY_MS
/** A purchase that is restored so long after it was begun has no mail: see domain/outbox.ts. */
const CONFIRMED_WITHIN_MS = DAY_MS

/** What in a record, and in what belongs to it, does not fit. All of it is from one moment. */
export function auditRecord(record: LedgerRecord, terms: AuditTerms): readonly Discrepancy[] {
  switch (record.of) {
    case 'grant':
      return [
        ...auditCause(record, terms),
        ...auditConfirmation(record, terms),
        ...auditEntriesOf(record, terms),
      ]
    case 'reversal':
      return auditReversal(record)
    case 'message':
      return auditMessage(record)
    case 'entry':
      return auditEntry(record)
  }
}

/** A purchase is paid only by a session of the provider, and what is given has an operator's entry. */
function auditCause(grant: GrantRecord, terms: AuditTerms): readonly Discrepancy[] {
  const { id, sale, entries } = grant
  if (sale) {
    if (sale.sessionId !== null) return []
    return [grantDiscrepancy('grant_without_cause', id, 'it is paid without a session')]
  }
  const isGiven = entries.some(({ reason, by }) => reason === 'granted' && by === OPERATOR)
  if (isGiven || !isOnRecord(grant.since, terms)) return []
  return [grantDiscrepancy('grant_without_cause', id, 'no operator has an entry of giving it')]
}

const OPERATOR: Actor = 'operator'

/**
 * A payment is confirmed by mail, or was one too many at first. One too many has a message only where duplicates are
 * sent back. A purchase whose row was lost has no mail once it is a day old, or once its money had gone back.
 */
function auditConfirmation(
  { id, sale, since, entries }: GrantRecord,
  { trailBegan, now }: AuditTerms,
): readonly Discrepancy[] {
  if (!sale || sale.isDuplicate) return []
  const isKept = since >= trailBegan && since.getTime() > now.getTime() - MESSAGES_KEPT_MS
  if (!isKept) return []
  const wasSoon = since.getTime() - sale.createdAt.getTime() <= CONFIRMED_WITHIN_MS
  const wasGivenBack = entries.some(({ reason, isActive }) => reason === 'paid' && !isActive)
  if (!wasSoon || wasGivenBack) return []
  const hasMessage = sale.messages.some((kind) => kind !== 'payment_failed')
  if (hasMessage) return []
  return [grantDiscrepancy('confirmation_missing', id, 'the outbox has no payment_confirmed')]
}

/** Every fact of a grant has its entry, and the last one says whether it gives access. */
function auditEntriesOf(grant: GrantRecord, terms: AuditTerms): readonly Discrepancy[] {
  const { id, sale, revokedAt, entries } = grant
  const missing = expectedEntries(grant, terms).filter(
    (expected) =>
      !entries.some(
        ({ reason, objectId }) => reason === expected.reason && objectId === expected.objectId,
      ),
  )
  if (missing.length > 0) {
    return missing.map(({ reason, objectId }) =>
      grantDiscrepancy('entry_missing', id, `no entry ${reason} of ${objectId}`),
    )
  }
  const last = entries.at(-1)
  const givesAccess = isActive({ payment: sale, revokedAt })
  if (!last || !isOnRecord(last.at, terms) || last.isActive === givesAccess) return []
  const say = (isActive: boolean) => (isActive ? 'access' : 'no access')
  const detail = `the last entry says ${say(last.isActive)}, its facts say ${say(givesAccess)}`
  return [grantDiscrepancy('access_differs', id, detail)]
}

function expectedEntries(
  { id, since, sale, revokedAt }: GrantRecord,
  terms: AuditTerms,
): readonly Pick<RecordedChange, 'reason' | 'objectId'>[] {
  const revocation = { reason: 'revoked', objectId: id } as const
  const later = revokedAt && isOnRecord(revokedAt, terms) ? [revocation] : []
  // When money went back nobody noted: it was after the payment.
  if (!sale || !isOnRecord(since, terms)) return later
  return [
    { reason: 'paid', objectId: id },
    ...sale.refunds.map((one) => ({ reason: `refund_${one.state}`, objectId: one.id }) as const),
    ...sale.disputes.map((one) => ({ reason: `dispute_${one.state}`, objectId: one.id }) as const),
    ...later,
  ]
}

/** Whether a change of that moment has its entry still. */
function isOnRecord(at: Date, { trailBegan, now }: AuditTerms): boolean {
  return at >= trailBegan && at.getTime() > now.getTime() - ENTRIES_KEPT_MS
}

function auditReversal(reversal: ReversalRecord): readonly Discrepancy[] {
  const { id, type, paymentIntentId, isPlaced } = reversal
  if (isPlaced) return []
  const detail = `no purchase has the payment of this ${type}`
  return [{ kind: 'reversal_without_purchase', id, belongsTo: paymentIntentId, detail }]
}

/** A purchase that failed is deleted sooner than the mail about it, where that was sent late. */
function auditMessage(message: MessageRecord): readonly Discrepancy[] {
  const { id, kind, purchaseId, email, purchase } = message
  if (!purchase && kind === 'payment_failed') return []
  const fault = (detail: string): readonly Discrepancy[] => [
    { kind: 'message_without_cause', id, belongsTo: purchaseId, detail },
  ]
  if (id !== `${kind}:${purchaseId}`) return fault(`it is of ${kind} and ${purchaseId}`)
  if (!purchase) return fault('there is no such purchase')
  if (!CAUSES[kind].includes(purchase.state)) return fault(`the purchase is ${purchase.state}`)
  if (purchase.email !== email) return fault('the purchase has another address')
  const { amountPaid, currency } = purchase
  const isSameAmount =
    message.amount.currency === currency && message.amount.amount === (amountPaid ?? 0)
  return kind === 'payment_failed' || isSameAmount ? [] : fault('the purchase has another amount')
}

/** The states of a purchase after which it may have a message: paid beats closed. */
const CAUSES: Readonly<Record<OutboxKind, readonly PurchaseState[]>> = {
  payment_confirmed: ['paid'],
  payment_failed: ['closed', 'review', 'paid'],
  duplicate_refund: ['paid'],
}

function auditEntry(entry: EntryRecord): readonly Discrepancy[] {
  const { id, grantId, reason, objectId, grant } = entry
  if (reason === 'paid' && !grant?.isSale) {
    const detail = `entry ${id} says paid, and the purchase is not`
    return [{ kind: 'payment_without_grant', id: grantId, belongsTo: grantId, detail }]
  }
  const detail = faultOf(entry)
  if (!detail) return []
  const words = `${reason} of ${objectId}: ${detail}`
  return [{ kind: 'entry_without_cause', id, belongsTo: grantId, detail: words }]
}

/** Null where what the entry says still is so, or was so before what has come since. */
function faultOf({ email, reason, grant, reversal }: EntryRecord): string | null {
  if (!grant) return 'there is no such grant'
  if (grant.email !== email) return 'the grant has another address'
  if (reason === 'paid') return null
  if (reason === 'granted') return grant.isSale ? 'the grant was bought' : null
  if (reason === 'revoked') return grant.revokedAt ? null : 'the grant is not revoked'
  if (!reversal) return 'it is not stored'
  if (reversal.paymentIntentId !== grant.paymentIntentId) return 'it is of another payment'
  return REACHED[reason].includes(reversal.state) ? null : `it is ${reversal.state}`
}

type ReversalReason = Exclude<GrantChangeReason, 'paid' | 'granted' | 'revoked'>

/** The states in which a reversal may be by now: it only moves on, but for a verdict that another one replaces. */
const REACHED: Readonly<Record<ReversalReason, readonly (RefundState | DisputeState)[]>> = {
  refund_pending: ['pending', 'succeeded', 'failed'],
  refund_succeeded: ['succeeded', 'failed'],
  refund_failed: ['failed'],
  dispute_inquiry: ['inquiry', 'open', 'won', 'lost'],
  dispute_open: ['open', 'won', 'lost'],
  dispute_won: ['won', 'lost'],
  dispute_lost: ['won', 'lost'],
}

function grantDiscrepancy(kind: DiscrepancyKind, id: string, detail: string): Discrepancy {
  return { kind, id, belongsTo: id, detail }
}
