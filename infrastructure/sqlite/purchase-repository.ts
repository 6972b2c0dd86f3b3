import { eq, sql } from 'drizzle-orm'
import type { Account, PurchaseRepository } from '../../application/ports.ts'
import type { Email } from '../../domain/email.ts'
import type { Purchase, PurchaseProgress } from '../../domain/purchase.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareFindGrants } from './premium-grant-repository.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { purchases } from './schema.ts'

export function sqlitePurchaseRepository(database: SqliteDatabase): PurchaseRepository {
  const { queries, read, readTogether, write } = database
  const findAccount = prepareFindAccount(queries)
  const upsert = prepareUpsert(queries, purchases)
  const selectById = queries
    .select()
    .from(purchases)
    .where(eq(purchases.id, sql.placeholder('id')))
    .prepare()
  const selectBySessionId = queries
    .select()
    .from(purchases)
    .where(eq(purchases.sessionId, sql.placeholder('sessionId')))
    .prepare()

  return {
    update: async (email, change) =>
      write(() => {
        const account = findAccount(email)
        const result = change(account)
        const { purchase } = result
        if (purchase && !account.purchases.includes(purchase)) upsert(toRow(purchase))
        return result
      }),
    findAccount: async (email) => readTogether(() => findAccount(email)),
    findById: async (id) => read(() => toPurchase(selectById.get({ id }))),
    findBySessionId: async (sessionId) =>
      read(() => toPurchase(selectBySessionId.get({ sessionId }))),
  }
}

function prepareFindAccount(queries: Queries): (email: Email) => Account {
  const findGrants = prepareFindGrants(queries)
  const selectByEmail = queries
    .select()
    .from(purchases)
    .where(eq(purchases.email, sql.placeholder('email')))
    .orderBy(purchases.createdAt, purchases.id)
    .prepare()

  return (email) => ({
    purchases: selectByEmail.all({ email }).map(fromRow),
    grants: findGrants(email),
  })
}

type PurchaseRow = typeof purchases.$inferSelect

function toRow({ price, ...purchase }: Purchase): PurchaseRow {
  return {
    paidAt: null,
    amountPaid: null,
    reviewReason: null,
    revokedAt: null,
    ...purchase,
    priceAmount: price.amount,
    priceCurrency: price.currency,
  }
}

function toPurchase(row: PurchaseRow | undefined): Purchase | null {
  return row ? fromRow(row) : null
}

function fromRow(row: PurchaseRow): Purchase {
  const { id, email, live, createdAt, expiresAt, sessionId, paymentIntentId } = row
  const price = { amount: row.priceAmount, currency: row.priceCurrency }
  const terms = { id, email, price, live, createdAt, expiresAt, sessionId, paymentIntentId }
  return { ...terms, ...progressOf(row) }
}

/** The table's own checks make sure that a state has what belongs to it. */
function progressOf(row: PurchaseRow): PurchaseProgress {
  const { id, state, paidAt, amountPaid, reviewReason, revokedAt } = row
  if (state === 'paid' && paidAt !== null && amountPaid !== null) {
    return { state, paidAt, amountPaid, revokedAt }
  }
  if (state === 'review' && reviewReason !== null) return { state, reviewReason }
  if (state === 'paid' || state === 'review') throw new Error(`the purchase ${id} lacks its facts`)
  return { state }
}
