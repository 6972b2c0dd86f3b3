import { eq, inArray, sql } from 'drizzle-orm'
import type { DisputeRepository } from '../../application/store.ts'
import type { RecordChanges } from './audit-trail.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { prepareUpdateReversals } from './reversals.ts'
import { disputes, purchases } from './schema.ts'

export function sqliteDisputeRepository(
  { queries, read, write }: SqliteDatabase,
  recordChanges: RecordChanges,
): DisputeRepository {
  const select = queries
    .select()
    .from(disputes)
    .where(eq(disputes.id, sql.placeholder('id')))
    .prepare()
  const selectPending = queries
    .selectDistinct({ paymentIntentId: disputes.paymentIntentId })
    .from(disputes)
    .innerJoin(purchases, eq(purchases.paymentIntentId, disputes.paymentIntentId))
    .where(inArray(disputes.state, ['inquiry', 'open']))
    .prepare()
  const find = (id: string) => select.get({ id }) ?? null
  const save = prepareUpsert(queries, disputes)
  const updateReversals = prepareUpdateReversals(queries, { find, save, recordChanges })

  return {
    update: async (reported, cause, change) =>
      write(() => updateReversals(reported, cause, change)),
    findById: async (id) => read(() => find(id)),
    findPendingPayments: async () =>
      read(() => selectPending.all().map(({ paymentIntentId }) => paymentIntentId)),
  }
}
