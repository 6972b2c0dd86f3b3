import { eq, sql } from 'drizzle-orm'
import type { SweepRepository } from '../../application/store.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { sweeps } from './schema.ts'

export function sqliteSweepRepository({ queries, read, write }: SqliteDatabase): SweepRepository {
  const upsert = prepareUpsert(queries, sweeps)
  const select = queries
    .select()
    .from(sweeps)
    .where(eq(sweeps.name, sql.placeholder('name')))
    .prepare()

  return {
    findLastRun: async (name) => read(() => select.get({ name })?.lastRunAt ?? null),
    recordRun: async (name, lastRunAt) => write(() => upsert({ name, lastRunAt })),
  }
}
