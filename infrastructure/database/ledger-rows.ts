import type { Dispute } from '../../domain/dispute.ts'
import type { Email } from '../../domain/email.ts'
import type { AuditEntry } from '../../domain/grant-change.ts'
import type {
  EntryRecord,
  GrantRecord,
  MessageRecord,
  ReversalRecord,
} from '../../domain/ledger.ts'
import type { PurchaseId } from '../../domain/order.ts'
import type { OutboxKind } from '../../domain/outbox.ts'
import type { PurchaseState } from '../../domain/purchase.ts'
import type { Refund } from '../../domain/refund.ts'
import { known, type MessageRow, type PurchaseRow } from './rows.ts'

// What any kind of database makes of the rows that an audit compares.

/** Rows that belong to the grants of a page. Entries are oldest first. */
export type BelongingRows = {
  readonly refunds: readonly Refund[]
  readonly disputes: readonly Dispute[]
  readonly messages: readonly { readonly purchaseId: PurchaseId; readonly kind: OutboxKind }[]
  readonly entries: readonly Pick<
    AuditEntry,
    'grantId' | 'at' | 'by' | 'reason' | 'objectId' | 'isActive'
  >[]
}

export function toSaleRecords(
  bought: readonly PurchaseRow[],
  { refunds, disputes, messages, entries }: BelongingRows,
): readonly GrantRecord[] {
  const refundsOf = Map.groupBy(refunds, ({ paymentIntentId }) => paymentIntentId)
  const disputesOf = Map.groupBy(disputes, ({ paymentIntentId }) => paymentIntentId)
  const messagesOf = Map.groupBy(messages, ({ purchaseId }) => purchaseId)
  const entriesOf = Map.groupBy(entries, ({ grantId }) => grantId)
  return bought.map((row) => {
    const { id, email, revokedAt, createdAt, sessionId, paymentIntentId } = row
    return {
      of: 'grant',
      id,
      email,
      revokedAt,
      since: known(row.paidAt),
      sale: {
        createdAt,
        sessionId,
        isDuplicate: known(row.isDuplicate),
        amountPaid: known(row.amountPaid),
        refunds: (paymentIntentId && refundsOf.get(paymentIntentId)) || [],
        disputes: (paymentIntentId && disputesOf.get(paymentIntentId)) || [],
        messages: (messagesOf.get(id) ?? []).map(({ kind }) => kind),
      },
      entries: entriesOf.get(id) ?? [],
    }
  })
}

export function toGiftRecords(
  given: readonly { id: string; email: Email; grantedAt: Date; revokedAt: Date | null }[],
  { entries }: Pick<BelongingRows, 'entries'>,
): readonly GrantRecord[] {
  const entriesOf = Map.groupBy(entries, ({ grantId }) => grantId)
  return given.map(({ grantedAt, ...grant }) => ({
    of: 'grant',
    ...grant,
    since: grantedAt,
    sale: null,
    entries: entriesOf.get(grant.id) ?? [],
  }))
}

export function toReversalRecord(
  type: ReversalRecord['type'],
  row: {
    readonly id: string
    readonly paymentIntentId: string
    /** A flag, or a number that stands for one. */
    readonly isPlaced: unknown
  },
): ReversalRecord {
  return { of: 'reversal', type, ...row, isPlaced: Boolean(row.isPlaced) }
}

export function toMessageRecord(
  { key: id, kind, purchaseId, email, amount, currency }: MessageRow,
  purchase: PurchaseRow | null,
): MessageRecord {
  return {
    of: 'message',
    id,
    kind,
    purchaseId,
    email,
    amount: { amount, currency },
    purchase: purchase && {
      email: purchase.email,
      state: purchase.state,
      currency: purchase.priceCurrency,
      amountPaid: purchase.amountPaid,
    },
  }
}

export function toEntryRecord({
  entry: { id, grantId, email, reason, objectId },
  purchase,
  gift,
  refund,
  dispute,
}: {
  entry: Pick<AuditEntry, 'grantId' | 'email' | 'reason' | 'objectId'> & { readonly id: number }
  purchase:
    | (Pick<PurchaseRow, 'email' | 'revokedAt' | 'paymentIntentId'> & { state: PurchaseState })
    | null
  gift: { readonly email: Email; readonly revokedAt: Date | null } | null
  refund: Refund | null
  dispute: Dispute | null
}): EntryRecord {
  const entry = { of: 'entry', id: String(id), grantId, email, reason, objectId } as const
  return { ...entry, grant: grantOf(purchase, gift), reversal: reversalOf() }

  function reversalOf(): EntryRecord['reversal'] {
    const reversal = reason.startsWith('refund_') ? refund : dispute
    return reversal && { paymentIntentId: reversal.paymentIntentId, state: reversal.state }
  }
}

function grantOf(
  purchase: Parameters<typeof toEntryRecord>[0]['purchase'],
  gift: Parameters<typeof toEntryRecord>[0]['gift'],
): EntryRecord['grant'] {
  if (purchase?.state === 'paid') {
    const { email, revokedAt, paymentIntentId } = purchase
    return { isSale: true, email, revokedAt, paymentIntentId }
  }
  return gift && { isSale: false, paymentIntentId: null, ...gift }
}
