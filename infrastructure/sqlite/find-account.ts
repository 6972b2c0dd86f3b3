import { eq, inArray, sql } from 'drizzle-orm'
import type { Account } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { Reversals } from '../../domain/premium-grant.ts'
import type { Purchase, PurchaseId } from '../../domain/purchase.ts'
import { type PurchaseRow, toPurchase } from '../database/rows.ts'
import type { Queries } from './database.ts'
import { grantsOf, prepareFindOperatorGrants } from './find-grants.ts'
import { disputes, purchases, refunds, verifications } from './schema.ts'

// Several statements each: the caller sees to it that they see one moment.

export function prepareFindAccount(
  queries: Queries,
  toAccount = prepareToAccount(queries),
): (email: Email) => Account {
  const select = queries
    .select()
    .from(purchases)
    .where(eq(purchases.email, sql.placeholder('email')))
    .prepare()
  return (email) => toAccount(email, select.all({ email }))
}

/** That of the address that the purchase has. Null for an unknown id. */
export function prepareFindAccountByPurchase(
  queries: Queries,
  toAccount: ReturnType<typeof prepareToAccount>,
): (id: PurchaseId) => Account | null {
  const selectEmail = queries
    .select({ email: purchases.email })
    .from(purchases)
    .where(eq(purchases.id, sql.placeholder('id')))
  const select = queries
    .select()
    .from(purchases)
    .where(sql`${purchases.email} = (${selectEmail})`)
    .prepare()

  return (id) => {
    const rows = select.all({ id })
    return rows[0] ? toAccount(rows[0].email, rows) : null
  }
}

/** The account to which these purchases belong: all that the address has. */
export function prepareToAccount(
  queries: Queries,
): (email: Email, rows: readonly PurchaseRow[]) => Account {
  const findOperatorGrants = prepareFindOperatorGrants(queries)
  const findReversals = prepareFindReversalsOfEmail(queries)
  const selectVerification = queries
    .select()
    .from(verifications)
    .where(eq(verifications.email, sql.placeholder('email')))
    .prepare()

  return (email, rows) => {
    const bought = rows.map(toPurchase).sort(byTime)
    const reversals = findReversals(email, rows)
    const reversalsOf = (paymentIntentId: string | null): Reversals => ({
      refunds: reversals.refunds.filter((one) => one.paymentIntentId === paymentIntentId),
      disputes: reversals.disputes.filter((one) => one.paymentIntentId === paymentIntentId),
    })
    return {
      purchases: bought,
      grants: [
        ...findOperatorGrants(email),
        ...bought.flatMap((purchase) => grantsOf(purchase, reversalsOf)),
      ],
      ...reversals,
      verification: selectVerification.get({ email }) ?? null,
    }
  }
}

/** Here rather than in SQL, for the same reason as in otp-records.ts. */
function byTime(left: Purchase, right: Purchase): number {
  const difference = left.createdAt.getTime() - right.createdAt.getTime()
  return difference || (left.id < right.id ? -1 : 1)
}

function prepareFindReversalsOfEmail(
  queries: Queries,
): (email: Email, rows: readonly PurchaseRow[]) => Reversals {
  const selectPayments = queries
    .select({ paymentIntentId: purchases.paymentIntentId })
    .from(purchases)
    .where(eq(purchases.email, sql.placeholder('email')))
  const selectRefunds = queries
    .select()
    .from(refunds)
    .where(inArray(refunds.paymentIntentId, selectPayments))
    .prepare()
  const selectDisputes = queries
    .select()
    .from(disputes)
    .where(inArray(disputes.paymentIntentId, selectPayments))
    .prepare()

  return (email, rows) => {
    // Nearly always: the first payment of an address.
    const isUnpaid = rows.every(({ paymentIntentId }) => paymentIntentId === null)
    if (isUnpaid) return { refunds: [], disputes: [] }
    return { refunds: selectRefunds.all({ email }), disputes: selectDisputes.all({ email }) }
  }
}
