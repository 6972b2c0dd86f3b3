import { and, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { DatedGrant, PremiumGrantRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { Reversals } from '../../domain/premium-grant.ts'
import { byAge, known } from '../database/rows.ts'
import type { Queries } from './connection/database.ts'
import { reversalsOf } from './find-grants.ts'
import { disputes, operatorGrants, purchases, refunds } from './schema.ts'

// Several statements each: the caller sees to it that they see one moment.

/** Those of all addresses, page by page. */
export async function listGrants(
  queries: Queries,
  { after, limit }: Parameters<PremiumGrantRepository['list']>[0],
): Promise<readonly DatedGrant[]> {
  const isAfter = (since: SQL, id: SQL) =>
    after ? sql`(${since}, ${id}) > (${after.since.toISOString()}, ${after.id})` : undefined
  const grants = await select(queries, {
    given: isAfter(sql`${operatorGrants.grantedAt}`, sql`${operatorGrants.id}`),
    // A purchase with that moment is paid.
    bought: and(
      isNotNull(purchases.paidAt),
      isAfter(sql`${purchases.paidAt}`, sql`${purchases.id}`),
    ),
    limit,
  })
  return grants.slice(0, limit)
}

/** Those of an address, oldest first. */
export function findDatedGrants(queries: Queries, email: Email): Promise<readonly DatedGrant[]> {
  return select(queries, {
    given: eq(operatorGrants.email, email),
    bought: and(eq(purchases.email, email), eq(purchases.state, 'paid')),
    limit: null,
  })
}

async function select(
  queries: Queries,
  {
    given,
    bought,
    limit,
  }: { given: SQL | undefined; bought: SQL | undefined; limit: number | null },
): Promise<readonly DatedGrant[]> {
  const selectGiven = queries
    .select()
    .from(operatorGrants)
    .where(given)
    .orderBy(operatorGrants.grantedAt, operatorGrants.id)
  const { id, email, paidAt, amountPaid, paymentIntentId, revokedAt } = purchases
  const selectBought = queries
    .select({ id, email, paidAt, amountPaid, paymentIntentId, revokedAt })
    .from(purchases)
    .where(bought)
    .orderBy(paidAt, id)
  const [byHand, byPurchase] = await Promise.all(
    limit === null
      ? [selectGiven, selectBought]
      : [selectGiven.limit(limit), selectBought.limit(limit)],
  )
  const payments = byPurchase.flatMap((purchase) => purchase.paymentIntentId ?? [])
  const reversals = await findReversalsOfPayments(queries, payments)
  const grants: DatedGrant[] = [
    ...byHand.map(({ grantedAt, ...grant }) => ({ ...grant, payment: null, since: grantedAt })),
    ...byPurchase.map(({ paidAt, amountPaid, paymentIntentId, ...grant }) => ({
      ...grant,
      payment: { amountPaid: known(amountPaid), ...reversalsOf(reversals, paymentIntentId) },
      since: known(paidAt),
    })),
  ]
  return grants.sort(byAge)
}

async function findReversalsOfPayments(
  queries: Queries,
  payments: readonly string[],
): Promise<Reversals> {
  if (payments.length === 0) return { refunds: [], disputes: [] }
  const [ofRefunds, ofDisputes] = await Promise.all([
    queries
      .select()
      .from(refunds)
      .where(inArray(refunds.paymentIntentId, [...payments])),
    queries
      .select()
      .from(disputes)
      .where(inArray(disputes.paymentIntentId, [...payments])),
  ])
  return { refunds: ofRefunds, disputes: ofDisputes }
}
