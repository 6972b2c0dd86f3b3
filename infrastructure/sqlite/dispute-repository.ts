import { eq, sql } from 'drizzle-orm'
import type { DisputeRepository } from '../../application/ports.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { disputes } from './schema.ts'

export function sqliteDisputeRepository({ queries, write }: SqliteDatabase): DisputeRepository {
  const upsert = prepareUpsert(queries, disputes)
  const select = queries
    .select()
    .from(disputes)
    .where(eq(disputes.id, sql.placeholder('id')))
    .prepare()

  return {
    update: async (id, change) =>
      write(() => {
        const known = select.get({ id }) ?? null
        const changed = change(known)
        if (changed !== known) upsert(changed)
      }),
  }
}
