import { eq } from 'drizzle-orm'
import type { VerificationRepository } from '../../application/store.ts'
import type { PostgresDatabase } from './connection/database.ts'
import { verifications } from './schema.ts'

export function postgresVerificationRepository({ read }: PostgresDatabase): VerificationRepository {
  return {
    findByEmail: (email) =>
      read(async (queries) => {
        const [verification] = await queries
          .select()
          .from(verifications)
          .where(eq(verifications.email, email))
        return verification ?? null
      }),
  }
}
