import { eq, sql } from 'drizzle-orm'
import type { VerificationRepository } from '../../application/store.ts'
import type { SqliteDatabase } from './database.ts'
import { verifications } from './schema.ts'

export function sqliteVerificationRepository({
  queries,
  read,
}: SqliteDatabase): VerificationRepository {
  const select = queries
    .select()
    .from(verifications)
    .where(eq(verifications.email, sql.placeholder('email')))
    .prepare()

  return {
    findByEmail: async (email) => read(() => select.get({ email }) ?? null),
  }
}
