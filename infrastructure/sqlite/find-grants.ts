import { and, eq, sql } from 'drizzle-orm'
import type { Email } from '../../domain/email.ts'
import type { PremiumGrant, Reversals } from '../../domain/premium-grant.ts'
import type { Purchase } from '../../domain/purchase.ts'
import { known } from '../database/rows.ts'
import type { Queries } from './database.ts'
import { prepareSelect } from './prepared-reads.ts'
import { disputes, operatorGrants, purchases, refunds } from './schema.ts'

const EMAIL = sql.placeholder('email')
const PAYMENT_INTENT_ID = sql.placeholder('paymentIntentId')
/**
 * A literal: measured on every request's path, a bound value takes this query ten times as long. The plus prevents
 * SQLite from using the index of states, which leads to the paid purchases of all addresses.
 */
export const IS_PAID = sql`+${purchases.state} = 'paid'`

/** Several statements: the caller sees to it that they see one moment. */
export function prepareFindGrants(queries: Queries): (email: Email) => readonly PremiumGrant[] {
  const findOperatorGrants = prepareFindOperatorGrants(queries)
  const selectPaidPurchases = queries
    .select({
      id: purchases.id,
      paymentIntentId: purchases.paymentIntentId,
      amountPaid: purchases.amountPaid,
      revokedAt: purchases.revokedAt,
    })
    .from(purchases)
    .where(and(eq(purchases.email, EMAIL), IS_PAID))
    .prepare()
  const findReversals = prepareFindReversals(queries)

  return (email) => [
    ...findOperatorGrants(email),
    ...selectPaidPurchases.all({ email }).map(({ id, paymentIntentId, amountPaid, revokedAt }) => ({
      id,
      email,
      payment: { amountPaid: known(amountPaid), ...findReversals(paymentIntentId) },
      revokedAt,
    })),
  ]
}

/** Those that an operator gave. */
export function prepareFindOperatorGrants(
  queries: Queries,
): (email: Email) => readonly PremiumGrant[] {
  const select = prepareSelect(queries, operatorGrants, eq(operatorGrants.email, EMAIL))
  return (email) =>
    select(email).map(({ id, revokedAt }) => ({ id, email, payment: null, revokedAt }))
}

/** The grant that a purchase is once it is paid, else none. */
export function grantsOf(
  purchase: Purchase,
  findReversals: (paymentIntentId: string | null) => Reversals,
): readonly PremiumGrant[] {
  if (purchase.state !== 'paid') return []
  const { id, email, amountPaid, paymentIntentId, revokedAt } = purchase
  return [{ id, email, payment: { amountPaid, ...findReversals(paymentIntentId) }, revokedAt }]
}

/** A paid purchase without a payment intent cost nothing, so that nothing of it can be refunded. */
export function prepareFindReversals(
  queries: Queries,
): (paymentIntentId: string | null) => Reversals {
  const isOfPayment = (table: typeof refunds | typeof disputes) =>
    eq(table.paymentIntentId, PAYMENT_INTENT_ID)
  const selectRefunds = prepareSelect(queries, refunds, isOfPayment(refunds))
  const selectDisputes = prepareSelect(queries, disputes, isOfPayment(disputes))

  return (paymentIntentId) => {
    if (paymentIntentId === null) return { refunds: [], disputes: [] }
    return {
      refunds: selectRefunds(paymentIntentId),
      disputes: selectDisputes(paymentIntentId),
    }
  }
}
