import { eq } from 'drizzle-orm'
import type { SweepRepository } from '../../application/store.ts'
import type { PostgresDatabase } from './connection/database.ts'
import { upsert } from './prepared.ts'
import { sweeps } from './schema.ts'

export function postgresSweepRepository({ read, write }: PostgresDatabase): SweepRepository {
  return {
    findLastRun: (name) =>
      read(async (queries) => {
        const [sweep] = await queries.select().from(sweeps).where(eq(sweeps.name, name))
        return sweep?.lastRunAt ?? null
      }),
    recordRun: (name, lastRunAt) =>
      write([], async ({ queries, store }) =>
        store(upsert(queries, sweeps, [sweeps.name], { name, lastRunAt })),
      ),
  }
}
