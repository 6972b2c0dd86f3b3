import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
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
import type { PostgresDatabase, Queries } from './connection/database.ts'
import {
  auditEntries,
  disputes,
  foreignPayments,
  operatorGrants,
  outbox,
  purchases,
  refunds,
} from './schema.ts'

const BEGINNING = `SELECT min(at) AS at FROM (
  SELECT applied_at AS at FROM schema_migrations WHERE name = '0001_init'
  UNION ALL SELECT min(at) FROM audit_entries
) AS beginnings`

type Page = { readonly after: string; readonly limit: number }

export function postgresLedger({ query, readTogether }: PostgresDatabase): Ledger {
  return {
    async findBeginning() {
      const [row] = await query<{ at: Date }>(BEGINNING)
      return row?.at ?? new Date(0)
    },
    list: (part, { after, limit }) =>
      readTogether((queries) => LISTS[part](queries, { after: after ?? '', limit })),
  }
}

const LISTS: Readonly<
  Record<LedgerPart, (queries: Queries, page: Page) => Promise<readonly LedgerRecord[]>>
> = {
  purchases: listSales,
  operator_grants: listGifts,
  refunds: (queries, page) => listReversals(queries, refunds, page),
  disputes: (queries, page) => listReversals(queries, disputes, page),
  messages: listMessages,
  audit_entries: listEntries,
}

async function listSales(queries: Queries, { after, limit }: Page) {
  const rows = await queries
    .select()
    .from(purchases)
    .where(
      and(
        // In the order of the index: by that of the ids alone, all the others would be read, too.
        sql`(${purchases.state}, ${purchases.id}) > ('paid', ${after})`,
        lte(purchases.state, 'paid'),
      ),
    )
    .orderBy(purchases.state, purchases.id)
    .limit(limit)
  const payments = rows.flatMap(({ paymentIntentId }) => paymentIntentId ?? [])
  const [ofRefunds, ofDisputes, messages, entries] = await Promise.all([
    queries.select().from(refunds).where(isAmong(refunds.paymentIntentId, payments)),
    queries.select().from(disputes).where(isAmong(disputes.paymentIntentId, payments)),
    queries
      .select({ purchaseId: outbox.purchaseId, kind: outbox.kind })
      .from(outbox)
      .where(
        isAmong(
          outbox.purchaseId,
          rows.map(({ id }) => id),
        ),
      ),
    selectEntries(queries, rows),
  ])
  return toSaleRecords(rows, { refunds: ofRefunds, disputes: ofDisputes, messages, entries })
}

async function listGifts(queries: Queries, { after, limit }: Page) {
  const rows = await queries
    .select()
    .from(operatorGrants)
    .where(gt(operatorGrants.id, after))
    .orderBy(operatorGrants.id)
    .limit(limit)
  return toGiftRecords(rows, { entries: await selectEntries(queries, rows) })
}

/** Found by the address: no index has the grant. */
async function selectEntries(
  queries: Queries,
  grants: readonly Pick<typeof operatorGrants.$inferSelect, 'id' | 'email'>[],
): Promise<BelongingRows['entries']> {
  const { grantId, at, by, reason, objectId, isActive } = auditEntries
  return queries
    .select({ grantId, at, by, reason, objectId, isActive })
    .from(auditEntries)
    .where(
      and(
        isAmong(auditEntries.email, [...new Set(grants.map(({ email }) => email))]),
        isAmong(
          grantId,
          grants.map(({ id }) => id),
        ),
      ),
    )
    .orderBy(auditEntries.id)
}

async function listReversals(
  queries: Queries,
  table: typeof refunds | typeof disputes,
  { after, limit }: Page,
) {
  const rows = await queries
    .select({ id: table.id, paymentIntentId: table.paymentIntentId })
    .from(table)
    .where(gt(table.id, after))
    .orderBy(table.id)
    .limit(limit)
  // Each by itself: for one statement with both, PostgreSQL reads all purchases.
  const placed = await Promise.all(
    [purchases, foreignPayments].map((owner) =>
      queries
        .select({ id: owner.paymentIntentId })
        .from(owner)
        .where(
          isAmong(
            owner.paymentIntentId,
            rows.map(({ paymentIntentId }) => paymentIntentId),
          ),
        ),
    ),
  )
  const payments = new Set(placed.flat().map(({ id }) => id))
  const type = table === refunds ? 'refund' : 'dispute'
  return rows.map((row) =>
    toReversalRecord(type, { ...row, isPlaced: payments.has(row.paymentIntentId) }),
  )
}

async function listMessages(queries: Queries, { after, limit }: Page) {
  const rows = await queries
    .select({ message: outbox, purchase: purchases })
    .from(outbox)
    .leftJoin(purchases, eq(purchases.id, outbox.purchaseId))
    .where(sql`${outbox.key} > ${after}`)
    .orderBy(outbox.key)
    .limit(limit)
  return rows.map(({ message, purchase }) => toMessageRecord(message, purchase))
}

async function listEntries(queries: Queries, { after, limit }: Page) {
  const rows = await queries
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
  return rows.map(toEntryRecord)
}

/** One value however many they are, so that the statement stays the same. */
function isAmong(column: PgColumn, values: readonly string[]) {
  return sql`${column} = ANY (${sql.param(values)})`
}
