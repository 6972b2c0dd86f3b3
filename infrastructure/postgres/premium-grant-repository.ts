import { and, eq, isNull } from 'drizzle-orm'
import type { PremiumGrantRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { Origin } from '../../domain/grant-change.ts'
import { recordChanges } from './audit-trail.ts'
import type { PostgresDatabase, Transaction } from './connection/database.ts'
import { ofAddress } from './connection/locks.ts'
import { listGrants } from './dated-grants.ts'
import { findGrants } from './find-grants.ts'
import { operatorGrants, purchases } from './schema.ts'

export function postgresPremiumGrantRepository({
  readTogether,
  write,
}: PostgresDatabase): PremiumGrantRepository {
  return {
    findByEmail: (email) => readTogether((queries) => findGrants(queries, [email])),
    add: ({ id, email }, origin) =>
      write([ofAddress(email)], async (transaction) => {
        await recordChanges(transaction, [email], origin, () => {
          const grant = { id, email, grantedAt: origin.at, revokedAt: null }
          transaction.store(transaction.queries.insert(operatorGrants).values(grant))
        })
      }),
    revokeAll: (email, origin) =>
      write([ofAddress(email)], (transaction) => revokeAll(transaction, email, origin)),
    list: (page) => readTogether((queries) => listGrants(queries, page)),
  }
}

/** Returns how many were revoked. For a transaction that has the lock of the address. */
export async function revokeAll(
  transaction: Transaction,
  email: Email,
  origin: Origin,
): Promise<number> {
  const { queries, store } = transaction
  const revoked = { revokedAt: origin.at }
  const before = await recordChanges(transaction, [email], origin, () => {
    store(
      queries
        .update(operatorGrants)
        .set(revoked)
        .where(and(eq(operatorGrants.email, email), isNull(operatorGrants.revokedAt))),
    )
    store(
      queries
        .update(purchases)
        .set(revoked)
        .where(
          and(eq(purchases.email, email), eq(purchases.state, 'paid'), isNull(purchases.revokedAt)),
        ),
    )
  })
  return before.filter(({ revokedAt }) => revokedAt === null).length
}
