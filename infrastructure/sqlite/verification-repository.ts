import { eq, sql } from 'drizzle-orm'
import type { VerificationRepository } from '../../application/ports.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { verifications } from './schema.ts'

export function sqliteVerificationRepository({
  queries,
  read,
  write,
}: SqliteDatabase): VerificationRepository {
  const upsert = prepareUpsert(queries, verifications)
  const select = queries
    .select()
    .from(verifications)
    .where(eq(verifications.email, sql.placeholder('email')))
    .prepare()

  return {
    save: async (verification) => write(() => upsert(verification)),
    findByEmail: async (email) => read(() => select.get({ email }) ?? null),
  }
}
