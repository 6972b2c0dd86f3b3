import { eq } from 'drizzle-orm'
import type { Account } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import { toPurchase } from '../database/rows.ts'
import type { Queries } from './connection/database.ts'
import { findOperatorGrants, findReversalsOfEmails, grantsOf } from './find-grants.ts'
import { purchases, verifications } from './schema.ts'

/** Several statements: the caller sees to it that they see one moment. */
export async function findAccount(queries: Queries, email: Email): Promise<Account> {
  const [rows, operatorGrants, reversals, [verification]] = await Promise.all([
    queries
      .select()
      .from(purchases)
      .where(eq(purchases.email, email))
      .orderBy(purchases.createdAt, purchases.id),
    findOperatorGrants(queries, [email]),
    findReversalsOfEmails(queries, [email]),
    queries.select().from(verifications).where(eq(verifications.email, email)),
  ])
  const bought = rows.map(toPurchase)
  return {
    purchases: bought,
    grants: [...operatorGrants, ...bought.flatMap((purchase) => grantsOf(purchase, reversals))],
    ...reversals,
    verification: verification ?? null,
  }
}
