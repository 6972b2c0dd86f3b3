import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { DisputeRepository, RefundRepository } from '../../application/store.ts'
import type { Dispute } from '../../domain/dispute.ts'
import type { Email } from '../../domain/email.ts'
import type { Origin } from '../../domain/grant-change.ts'
import type { Refund } from '../../domain/refund.ts'
import { mergeReported } from '../database/reported-reversals.ts'
import type { RecordChanges } from './audit-trail.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { IS_PAID } from './find-grants.ts'
import { prepareInsertOnce, prepareUpsert } from './prepared-writes.ts'
import { disputes, foreignPayments, purchases, refunds } from './schema.ts'

type Reversal = Refund | Dispute

const ID = sql.placeholder('id')
const PAYMENT_INTENT_ID = sql.placeholder('paymentIntentId')

export function sqliteRefundRepository(
  database: SqliteDatabase,
  recordChanges: RecordChanges,
): RefundRepository {
  const { queries } = database
  const select = queries.select().from(refunds).where(eq(refunds.id, ID)).prepare()
  return reversalRepository(database, {
    find: (id) => select.get({ id }) ?? null,
    save: prepareUpsert(queries, refunds),
    findPendingPayments: prepareFindPayments(queries, refunds, eq(refunds.state, 'pending')),
    recordChanges,
  })
}

export function sqliteDisputeRepository(
  database: SqliteDatabase,
  recordChanges: RecordChanges,
): DisputeRepository {
  const { queries } = database
  const select = queries.select().from(disputes).where(eq(disputes.id, ID)).prepare()
  const isPending = inArray(disputes.state, ['inquiry', 'open'])
  return reversalRepository(database, {
    find: (id) => select.get({ id }) ?? null,
    save: prepareUpsert(queries, disputes),
    findPendingPayments: prepareFindPayments(queries, disputes, isPending),
    recordChanges,
  })
}

/** The payments of purchases of ours with a reversal of which the condition holds. */
function prepareFindPayments(
  queries: Queries,
  reversals: typeof refunds | typeof disputes,
  condition: SQL,
): () => readonly string[] {
  const select = queries
    .selectDistinct({ paymentIntentId: reversals.paymentIntentId })
    .from(reversals)
    .innerJoin(purchases, eq(purchases.paymentIntentId, reversals.paymentIntentId))
    .where(condition)
    .prepare()
  return () => select.all().map(({ paymentIntentId }) => paymentIntentId)
}

/** What the two repositories do alike. Audit entries are stored together with the changes that they follow from. */
function reversalRepository<Fact extends Reversal>(
  { queries, read, write }: SqliteDatabase,
  {
    find,
    save,
    findPendingPayments,
    recordChanges,
  }: {
    find: (id: string) => Fact | null
    save: (fact: Fact) => void
    findPendingPayments: () => readonly string[]
    recordChanges: RecordChanges
  },
) {
  const findBuyers = prepareFindBuyers(queries)
  const noteForeign = prepareNoteForeign(queries)

  return {
    update: async <Reported extends { readonly id: string }>(
      reported: readonly Reported[],
      origin: Origin,
      change: (known: Fact | null, reported: Reported) => Fact,
    ) =>
      write(() => {
        const { facts, changes } = mergeReported(reported, { find, change })
        recordChanges(findBuyers(facts), origin, () => facts.forEach(save))
        noteForeign(facts, origin.at)
        return changes
      }),
    findById: async (id: string) => read(() => find(id)),
    findPendingPayments: async () => read(findPendingPayments),
  }
}

/** The addresses whose grants depend on these payments. */
function prepareFindBuyers(queries: Queries): (facts: readonly Reversal[]) => readonly Email[] {
  const select = queries
    .select({ email: purchases.email })
    .from(purchases)
    .where(and(eq(purchases.paymentIntentId, PAYMENT_INTENT_ID), IS_PAID))
    .prepare()

  return (facts) => {
    const payments = new Set(facts.map(({ paymentIntentId }) => paymentIntentId))
    const rows = [...payments].flatMap((paymentIntentId) => select.all({ paymentIntentId }))
    return [...new Set(rows.map(({ email }) => email))]
  }
}

/** Notes since when something is stored of a payment of which no purchase is known, so that it is deleted in time. */
function prepareNoteForeign(queries: Queries): (facts: readonly Reversal[], at: Date) => void {
  const selectPurchase = queries
    .select({ id: purchases.id })
    .from(purchases)
    .where(eq(purchases.paymentIntentId, PAYMENT_INTENT_ID))
    .prepare()
  const insertOnce = prepareInsertOnce(queries, foreignPayments)

  return (facts, storedAt) => {
    for (const paymentIntentId of new Set(facts.map((fact) => fact.paymentIntentId))) {
      if (!selectPurchase.get({ paymentIntentId })) insertOnce({ paymentIntentId, storedAt })
    }
  }
}
