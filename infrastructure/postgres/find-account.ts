import { eq, sql } from 'drizzle-orm'
import type { Account } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import { toPurchase } from '../database/rows.ts'
import type { Queries } from './connection/database.ts'
import { findOperatorGrants, findReversalsOfEmails, grantsOf } from './find-grants.ts'
import { prepared } from './prepared.ts'
import { purchases, verifications } from './schema.ts'

const EMAIL = sql.placeholder('email')

const selectPurchases = prepared((queries) =>
  queries
    .select()
    .from(purchases)
    .where(eq(purchases.email, EMAIL))
    .orderBy(purchases.createdAt, purchases.id),
)
const selectVerification = prepared((queries) =>
  queries.select().from(verifications).where(eq(verifications.email, EMAIL)),
)

/** Several statements: the caller sees to it that they see one moment. */
export async function findAccount(queries: Queries, email: Email): Promise<Account> {
  const [rows, operatorGrants, reversals, [verification]] = await Promise.all([
    selectPurchases(queries).execute({ email }),
    findOperatorGrants(queries, [email]),
    findReversalsOfEmails(queries, [email]),
    selectVerification(queries).execute({ email }),
  ])
  const bought = rows.map(toPurchase)
  return {
    purchases: bought,
    grants: [...operatorGrants, ...bought.flatMap((purchase) => grantsOf(purchase, reversals))],
    ...reversals,
    verification: verification ?? null,
  }
}
