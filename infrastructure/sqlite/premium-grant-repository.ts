import { and, eq, isNull, sql } from 'drizzle-orm'
import type { PremiumGrantRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { Origin } from '../../domain/grant-change.ts'
import type { RecordChanges } from './audit-trail.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareListGrants } from './dated-grants.ts'
import { IS_PAID, prepareFindGrants } from './find-grants.ts'
import { prepareInsert } from './prepared-writes.ts'
import { operatorGrants, purchases } from './schema.ts'

const EMAIL = sql.placeholder('email')
const REVOKED_AT = sql`${sql.placeholder('revokedAt')}`

export function sqlitePremiumGrantRepository(
  { queries, readTogether, write }: SqliteDatabase,
  recordChanges: RecordChanges,
): PremiumGrantRepository {
  const findGrants = prepareFindGrants(queries)
  const listGrants = prepareListGrants(queries)
  const insert = prepareInsert(queries, operatorGrants)
  const revokeAll = prepareRevokeAll(queries, recordChanges)

  return {
    findByEmail: async (email) => readTogether(() => findGrants(email)),
    add: async ({ id, email }, origin) =>
      write(() =>
        recordChanges([email], origin, () =>
          insert({ id, email, grantedAt: origin.at, revokedAt: null }),
        ),
      ),
    revokeAll: async (email, origin) =>
      write(() => {
        const revoked = findGrants(email).filter(({ revokedAt }) => revokedAt === null)
        revokeAll(email, origin)
        return revoked.length
      }),
    list: async ({ after, limit }) => readTogether(() => listGrants({ after, limit })),
  }
}

/** For use inside a write. */
export function prepareRevokeAll(
  queries: Queries,
  recordChanges: RecordChanges,
): (email: Email, origin: Origin) => void {
  const revokeOperatorGrants = queries
    .update(operatorGrants)
    .set({ revokedAt: REVOKED_AT })
    .where(and(eq(operatorGrants.email, EMAIL), isNull(operatorGrants.revokedAt)))
    .prepare()
  const revokePurchases = queries
    .update(purchases)
    .set({ revokedAt: REVOKED_AT })
    .where(and(eq(purchases.email, EMAIL), IS_PAID, isNull(purchases.revokedAt)))
    .prepare()

  return (email, origin) =>
    recordChanges([email], origin, () => {
      revokeOperatorGrants.run({ email, revokedAt: origin.at.getTime() })
      revokePurchases.run({ email, revokedAt: origin.at.getTime() })
    })
}
