import { and, eq, inArray, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Email } from '../../domain/email.ts'
import type { PremiumGrant, Reversals } from '../../domain/premium-grant.ts'
import type { Purchase } from '../../domain/purchase.ts'
import { toPurchase } from '../database/rows.ts'
import type { Queries } from './connection/database.ts'
import { prepared } from './prepared.ts'
import { disputes, operatorGrants, purchases, refunds } from './schema.ts'

const isAmongEmails = (column: PgColumn) => sql`${column} = ANY (${sql.placeholder('emails')})`

const selectGiven = prepared((queries) =>
  queries
    .select()
    .from(operatorGrants)
    .where(isAmongEmails(operatorGrants.email))
    .orderBy(operatorGrants.grantedAt, operatorGrants.id),
)
const selectBought = prepared((queries) =>
  queries
    .select()
    .from(purchases)
    .where(and(isAmongEmails(purchases.email), eq(purchases.state, 'paid')))
    .orderBy(purchases.createdAt, purchases.id),
)

const paymentsOfEmails = (queries: Queries) =>
  queries
    .select({ paymentIntentId: purchases.paymentIntentId })
    .from(purchases)
    .where(isAmongEmails(purchases.email))
const selectRefundsOfEmails = prepared((queries) =>
  queries
    .select()
    .from(refunds)
    .where(inArray(refunds.paymentIntentId, paymentsOfEmails(queries))),
)
const selectDisputesOfEmails = prepared((queries) =>
  queries
    .select()
    .from(disputes)
    .where(inArray(disputes.paymentIntentId, paymentsOfEmails(queries))),
)

const PAYMENT = sql.placeholder('paymentIntentId')
const selectRefunds = prepared((queries) =>
  queries.select().from(refunds).where(eq(refunds.paymentIntentId, PAYMENT)),
)
const selectDisputes = prepared((queries) =>
  queries.select().from(disputes).where(eq(disputes.paymentIntentId, PAYMENT)),
)

// Several statements each: the caller sees to it that they see one moment.

export async function findGrants(
  queries: Queries,
  emails: readonly Email[],
): Promise<readonly PremiumGrant[]> {
  if (emails.length === 0) return []
  const [given, bought, reversals] = await Promise.all([
    findOperatorGrants(queries, emails),
    selectBought(queries).execute({ emails }),
    findReversalsOfEmails(queries, emails),
  ])
  return [...given, ...bought.flatMap((row) => grantsOf(toPurchase(row), reversals))]
}

/** Those that an operator gave. */
export async function findOperatorGrants(
  queries: Queries,
  emails: readonly Email[],
): Promise<readonly PremiumGrant[]> {
  const rows = await selectGiven(queries).execute({ emails })
  return rows.map(({ id, email, revokedAt }) => ({ id, email, payment: null, revokedAt }))
}

/** What came back of all payments of the addresses. */
export async function findReversalsOfEmails(
  queries: Queries,
  emails: readonly Email[],
): Promise<Reversals> {
  const [ofRefunds, ofDisputes] = await Promise.all([
    selectRefundsOfEmails(queries).execute({ emails }),
    selectDisputesOfEmails(queries).execute({ emails }),
  ])
  return { refunds: ofRefunds, disputes: ofDisputes }
}

/** What came back of one payment. A paid purchase without one cost nothing, so that nothing of it can come back. */
export async function findReversals(
  queries: Queries,
  paymentIntentId: string | null,
): Promise<Reversals> {
  if (paymentIntentId === null) return { refunds: [], disputes: [] }
  const [ofRefunds, ofDisputes] = await Promise.all([
    selectRefunds(queries).execute({ paymentIntentId }),
    selectDisputes(queries).execute({ paymentIntentId }),
  ])
  return { refunds: ofRefunds, disputes: ofDisputes }
}

/** Those of one payment among them. */
export function reversalsOf(reversals: Reversals, paymentIntentId: string | null): Reversals {
  return {
    refunds: reversals.refunds.filter((one) => one.paymentIntentId === paymentIntentId),
    disputes: reversals.disputes.filter((one) => one.paymentIntentId === paymentIntentId),
  }
}

/** The grant that a purchase is once it is paid, else none. */
export function grantsOf(purchase: Purchase, reversals: Reversals): readonly PremiumGrant[] {
  if (purchase.state !== 'paid') return []
  const { id, email, amountPaid, paymentIntentId, revokedAt } = purchase
  const payment = { amountPaid, ...reversalsOf(reversals, paymentIntentId) }
  return [{ id, email, payment, revokedAt }]
}
