import { eq, sql } from 'drizzle-orm'
import type { RefundRepository } from '../../application/ports.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { refunds } from './schema.ts'

export function sqliteRefundRepository({ queries, write }: SqliteDatabase): RefundRepository {
  const upsert = prepareUpsert(queries, refunds)
  const select = queries
    .select()
    .from(refunds)
    .where(eq(refunds.id, sql.placeholder('id')))
    .prepare()

  return {
    update: async (reported, change) =>
      write(() => {
        for (const one of reported) {
          const known = select.get({ id: one.id }) ?? null
          const changed = change(known, one)
          if (changed !== known) upsert(changed)
        }
      }),
  }
}
