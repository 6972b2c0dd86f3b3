import { and, eq, inArray } from 'drizzle-orm'
import type { Email } from '../../domain/email.ts'
import type { PremiumGrant, Reversals } from '../../domain/premium-grant.ts'
import type { Purchase } from '../../domain/purchase.ts'
import { known } from '../database/rows.ts'
import type { Queries } from './connection/database.ts'
import { disputes, operatorGrants, purchases, refunds } from './schema.ts'

// Several statements each: the caller sees to it that they see one moment.

export async function findGrants(
  queries: Queries,
  emails: readonly Email[],
): Promise<readonly PremiumGrant[]> {
  if (emails.length === 0) return []
  const isPaid = and(inArray(purchases.email, [...emails]), eq(purchases.state, 'paid'))
  const [given, bought, reversals] = await Promise.all([
    findOperatorGrants(queries, emails),
    queries.select().from(purchases).where(isPaid).orderBy(purchases.createdAt, purchases.id),
    findReversalsOfEmails(queries, emails),
  ])
  return [
    ...given,
    ...bought.map(({ id, email, paymentIntentId, amountPaid, revokedAt }) => ({
      id,
      email,
      payment: { amountPaid: known(amountPaid), ...reversalsOf(reversals, paymentIntentId) },
      revokedAt,
    })),
  ]
}

/** Those that an operator gave. */
export async function findOperatorGrants(
  queries: Queries,
  emails: readonly Email[],
): Promise<readonly PremiumGrant[]> {
  const rows = await queries
    .select()
    .from(operatorGrants)
    .where(inArray(operatorGrants.email, [...emails]))
    .orderBy(operatorGrants.grantedAt, operatorGrants.id)
  return rows.map(({ id, email, revokedAt }) => ({ id, email, payment: null, revokedAt }))
}

/** What came back of all payments of the addresses. */
export async function findReversalsOfEmails(
  queries: Queries,
  emails: readonly Email[],
): Promise<Reversals> {
  const payments = queries
    .select({ paymentIntentId: purchases.paymentIntentId })
    .from(purchases)
    .where(inArray(purchases.email, [...emails]))
  const [ofRefunds, ofDisputes] = await Promise.all([
    queries.select().from(refunds).where(inArray(refunds.paymentIntentId, payments)),
    queries.select().from(disputes).where(inArray(disputes.paymentIntentId, payments)),
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
    queries.select().from(refunds).where(eq(refunds.paymentIntentId, paymentIntentId)),
    queries.select().from(disputes).where(eq(disputes.paymentIntentId, paymentIntentId)),
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
