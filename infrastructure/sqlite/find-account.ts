import { eq, inArray, sql } from 'drizzle-orm'
import type { Account } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { PurchaseId } from '../../domain/order.ts'
import type { Reversals } from '../../domain/premium-grant.ts'
import type { Purchase } from '../../domain/purchase.ts'
import { type PurchaseRow, toPurchase } from '../database/rows.ts'
import type { Queries } from './database.ts'
import { grantsOf, prepareFindOperatorGrants } from './find-grants.ts'
import { prepareSelect } from './prepared-reads.ts'
import { disputes, purchases, refunds, verifications } from './schema.ts'

const EMAIL = sql.placeholder('email')

// Several statements each: the caller sees to it that they see one moment.

export function prepareFindAccount(
  queries: Queries,
  toAccount = prepareToAccount(queries),
): (email: Email) => Account {
  const select = prepareSelect(queries, purchases, eq(purchases.email, EMAIL))
  return (email) => toAccount(email, select(email))
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
  const select = prepareSelect(queries, purchases, sql`${purchases.email} = (${selectEmail})`)

  return (id) => {
    const rows = select(id)
    return rows[0] ? toAccount(rows[0].email, rows) : null
  }
}

/** The account to which these purchases belong: all that the address has. */
export function prepareToAccount(
  queries: Queries,
): (email: Email, rows: readonly PurchaseRow[]) => Account {
  const findOperatorGrants = prepareFindOperatorGrants(queries)
  const findReversals = prepareFindReversalsOfEmail(queries)
  const selectVerification = prepareSelect(queries, verifications, eq(verifications.email, EMAIL))

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
      verification: selectVerification(email)[0] ?? null,
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
    .where(eq(purchases.email, EMAIL))
  const isOfEmail = (table: typeof refunds | typeof disputes) =>
    inArray(table.paymentIntentId, selectPayments)
  const selectRefunds = prepareSelect(queries, refunds, isOfEmail(refunds))
  const selectDisputes = prepareSelect(queries, disputes, isOfEmail(disputes))

  return (email, rows) => {
    // Nearly always: the first payment of an address.
    const isUnpaid = rows.every(({ paymentIntentId }) => paymentIntentId === null)
    if (isUnpaid) return { refunds: [], disputes: [] }
    return { refunds: selectRefunds(email), disputes: selectDisputes(email) }
  }
}
