import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Ledger, LedgerPart } from '../../application/store.ts'
import type { LedgerRecord } from '../../domain/ledger.ts'
import {
  type BelongingRows,
  toEntryRecord,
  toGiftRecords,
  toMessageRecord,
  toReversalRecord,
  toSaleRecords,
} from '../database/ledger-rows.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { auditEntries, disputes, operatorGrants, outbox, purchases, refunds } from './schema.ts'

/** The trail and the outbox came with the second migration. */
const BEGINNING = `SELECT min(at) AS at FROM (
  SELECT applied_at AS at FROM schema_migrations WHERE name = '0002_payments'
  UNION ALL SELECT min(at) FROM audit_entries
)`

type Page = { readonly after: string; readonly limit: number }

export function sqliteLedger({ queries, read, readTogether }: SqliteDatabase): Ledger {
  const selectBeginning = queries.$client.prepare<{ at: number }, []>(BEGINNING)
  return {
    findBeginning: async () => read(() => new Date(selectBeginning.get()?.at ?? 0)),
    list: async (part, { after, limit }) =>
      readTogether(() => LISTS[part](queries, { after: after ?? '', limit })),
  }
}

const LISTS: Readonly<
  Record<LedgerPart, (queries: Queries, page: Page) => readonly LedgerRecord[]>
> = {
  purchases: listSales,
  operator_grants: listGifts,
  refunds: (queries, page) => listReversals(queries, refunds, page),
  disputes: (queries, page) => listReversals(queries, disputes, page),
  messages: listMessages,
  audit_entries: listEntries,
}

function listSales(queries: Queries, { after, limit }: Page) {
  const rows = queries
    .select()
    .from(purchases)
    .where(and(eq(purchases.state, 'paid'), sql`${purchases.id} > ${after}`))
    .orderBy(purchases.id)
    .limit(limit)
    .all()
  const payments = rows.flatMap(({ paymentIntentId }) => paymentIntentId ?? [])
  return toSaleRecords(rows, {
    refunds: queries.select().from(refunds).where(inArray(refunds.paymentIntentId, payments)).all(),
    disputes: queries
      .select()
      .from(disputes)
      .where(inArray(disputes.paymentIntentId, payments))
      .all(),
    messages: queries
      .select({ purchaseId: outbox.purchaseId, kind: outbox.kind })
      .from(outbox)
      .where(
        inArray(
          outbox.purchaseId,
          rows.map(({ id }) => id),
        ),
      )
      .all(),
    entries: selectEntries(queries, rows),
  })
}

function listGifts(queries: Queries, { after, limit }: Page) {
  const rows = queries
    .select()
    .from(operatorGrants)
    .where(gt(operatorGrants.id, after))
    .orderBy(operatorGrants.id)
    .limit(limit)
    .all()
  return toGiftRecords(rows, { entries: selectEntries(queries, rows) })
}

/** Found by the address: no index has the grant. */
function selectEntries(
  queries: Queries,
  grants: readonly Pick<typeof operatorGrants.$inferSelect, 'id' | 'email'>[],
): BelongingRows['entries'] {
  const { grantId, at, by, reason, objectId, isActive } = auditEntries
  return queries
    .select({ grantId, at, by, reason, objectId, isActive })
    .from(auditEntries)
    .where(
      and(
        inArray(auditEntries.email, [...new Set(grants.map(({ email }) => email))]),
        inArray(
          grantId,
          grants.map(({ id }) => id),
        ),
      ),
    )
    .orderBy(auditEntries.id)
    .all()
}

function listReversals(
  queries: Queries,
  table: typeof refunds | typeof disputes,
  { after, limit }: Page,
) {
  // With its table's name: without, it would be the column of the same name inside.
  const payment = sql`${table}.payment_intent_id`
  const isPlaced = sql`(
    EXISTS (SELECT 1 FROM purchases WHERE purchases.payment_intent_id = ${payment})
    OR EXISTS (
      SELECT 1 FROM foreign_payments
      WHERE foreign_payments.payment_intent_id = ${payment}
    )
  )`
  const type = table === refunds ? 'refund' : 'dispute'
  return queries
    .select({ id: table.id, paymentIntentId: table.paymentIntentId, isPlaced })
    .from(table)
    .where(gt(table.id, after))
    .orderBy(table.id)
    .limit(limit)
    .all()
    .map((row) => toReversalRecord(type, row))
}

function listMessages(queries: Queries, { after, limit }: Page) {
  return queries
    .select({ message: outbox, purchase: purchases })
    .from(outbox)
    .leftJoin(purchases, eq(purchases.id, outbox.purchaseId))
    .where(sql`${outbox.key} > ${after}`)
    .orderBy(outbox.key)
    .limit(limit)
    .all()
    .map(({ message, purchase }) => toMessageRecord(message, purchase))
}

function listEntries(queries: Queries, { after, limit }: Page) {
  return queries
    .select({
      entry: auditEntries,
      purchase: purchases,
      gift: { email: operatorGrants.email, revokedAt: operatorGrants.revokedAt },
      refund: refunds,
      dispute: disputes,
    })
    .from(auditEntries)
    .leftJoin(purchases, eq(purchases.id, auditEntries.grantId))
    .leftJoin(operatorGrants, eq(operatorGrants.id, auditEntries.grantId))
    .leftJoin(refunds, eq(refunds.id, auditEntries.objectId))
    .leftJoin(disputes, eq(disputes.id, auditEntries.objectId))
    .where(gt(auditEntries.id, Number(after)))
    .orderBy(auditEntries.id)
    .limit(limit)
    .all()
    .map(toEntryRecord)
}
