import { eq, sql } from 'drizzle-orm'
import type { RefundRepository } from '../../application/store.ts'
import type { RecordChanges } from './audit-trail.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { prepareUpdateReversals } from './reversals.ts'
import { purchases, refunds } from './schema.ts'

export function sqliteRefundRepository(
  { queries, read, write }: SqliteDatabase,
  recordChanges: RecordChanges,
): RefundRepository {
  const select = queries
    .select()
    .from(refunds)
    .where(eq(refunds.id, sql.placeholder('id')))
    .prepare()
  const selectPending = queries
    .selectDistinct({ paymentIntentId: refunds.paymentIntentId })
    .from(refunds)
    .innerJoin(purchases, eq(purchases.paymentIntentId, refunds.paymentIntentId))
    .where(eq(refunds.state, 'pending'))
    .prepare()
  const find = (id: string) => select.get({ id }) ?? null
  const save = prepareUpsert(queries, refunds)
  const updateReversals = prepareUpdateReversals(queries, { find, save, recordChanges })

  return {
    update: async (reported, cause, change) =>
      write(() => updateReversals(reported, cause, change)),
    findById: async (id) => read(() => find(id)),
    findPendingPayments: async () =>
      read(() => selectPending.all().map(({ paymentIntentId }) => paymentIntentId)),
  }
}
