import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { DatedGrant, PremiumGrantRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import { byAge, known } from '../database/rows.ts'
import type { Queries } from './database.ts'
import { IS_PAID, prepareFindReversals } from './find-grants.ts'
import { operatorGrants, purchases } from './schema.ts'

// Several statements each: the caller sees to it that they see one moment.

/** Those of all addresses, page by page. */
export function prepareListGrants(
  queries: Queries,
): (page: Parameters<PremiumGrantRepository['list']>[0]) => readonly DatedGrant[] {
  const start = sql`(${sql.placeholder('since')}, ${sql.placeholder('id')})`
  const select = prepareSelect(queries, {
    given: sql`(${operatorGrants.grantedAt}, ${operatorGrants.id}) > ${start}`,
    // A purchase with that moment is paid. The condition repeats the one of the index, so that SQLite reads in its
    // order.
    bought: and(
      isNotNull(purchases.paidAt),
      sql`(${purchases.paidAt}, ${purchases.id}) > ${start}`,
    ),
  })

  return ({ after, limit }) => {
    const since = after?.since.getTime() ?? Number.MIN_SAFE_INTEGER
    return select({ since, id: after?.id ?? '', limit }).slice(0, limit)
  }
}

/** Those of an address, oldest first. */
export function prepareFindDatedGrants(queries: Queries): (email: Email) => readonly DatedGrant[] {
  const select = prepareSelect(queries, {
    given: eq(operatorGrants.email, sql.placeholder('email')),
    bought: and(eq(purchases.email, sql.placeholder('email')), IS_PAID),
  })
  const WITHOUT_LIMIT = -1
  return (email) => select({ email, limit: WITHOUT_LIMIT })
}

function prepareSelect(
  queries: Queries,
  { given, bought }: { given: SQL; bought: SQL | undefined },
): (values: Record<string, unknown>) => readonly DatedGrant[] {
  const selectGiven = queries
    .select()
    .from(operatorGrants)
    .where(given)
    .orderBy(operatorGrants.grantedAt, operatorGrants.id)
    .limit(sql.placeholder('limit'))
    .prepare()
  const { id, email, paidAt, amountPaid, paymentIntentId, revokedAt } = purchases
  const selectBought = queries
    .select({ id, email, paidAt, amountPaid, paymentIntentId, revokedAt })
    .from(purchases)
    .where(bought)
    .orderBy(paidAt, id)
    .limit(sql.placeholder('limit'))
    .prepare()
  const findReversals = prepareFindReversals(queries)

  return (values) => {
    const byHand = selectGiven
      .all(values)
      .map(({ grantedAt, ...grant }) => ({ ...grant, payment: null, since: grantedAt }))
    const byPurchase = selectBought
      .all(values)
      .map(({ paidAt, amountPaid, paymentIntentId, ...grant }) => ({
        ...grant,
        payment: { amountPaid: known(amountPaid), ...findReversals(paymentIntentId) },
        since: known(paidAt),
      }))
    return [...byHand, ...byPurchase].sort(byAge)
  }
}
