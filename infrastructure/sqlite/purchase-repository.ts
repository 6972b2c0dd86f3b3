import { and, eq, gt, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Account, PurchaseRepository } from '../../application/store.ts'
import type { Origin } from '../../domain/grant-change.ts'
import type { OutboxMessage } from '../../domain/outbox.ts'
import type { Purchase } from '../../domain/purchase.ts'
import { leftPayment } from '../database/reported-reversals.ts'
import { toPurchase, toPurchaseRow } from '../database/rows.ts'
import { prepareInsertChanges } from './audit-trail.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import {
  prepareFindAccount,
  prepareFindAccountByPurchase,
  prepareToAccount,
} from './find-account.ts'
import { prepareFindBySession } from './find-by-session.ts'
import { grantsOf, prepareFindReversals } from './find-grants.ts'
import { prepareInsertMessage } from './outbox-repository.ts'
import { prepareSelect } from './prepared-reads.ts'
import { prepareInsertOnce, prepareUpdate, prepareUpsert } from './prepared-writes.ts'
import { foreignPayments, purchases } from './schema.ts'

export function sqlitePurchaseRepository(
  database: Pick<
    SqliteDatabase,
    'path' | 'queries' | 'read' | 'readTogether' | 'write' | 'isUsable' | 'commits'
  >,
): PurchaseRepository {
  const { queries, read, readTogether, write } = database
  const toAccount = prepareToAccount(queries)
  const findAccount = prepareFindAccount(queries, toAccount)
  const findAccountByPurchase = prepareFindAccountByPurchase(queries, toAccount)
  const findBySession = prepareFindBySession(database)
  const store = prepareStore(queries)
  const findBy = (column: SQLiteColumn) => {
    const select = prepareSelect(queries, purchases, eq(column, sql.placeholder('value')))
    return (value: string) => select(value).map(toPurchase)[0] ?? null
  }
  const findById = findBy(purchases.id)
  const findByPaymentIntentId = findBy(purchases.paymentIntentId)
  const selectByPrice = queries
    .select({ id: purchases.id })
    .from(purchases)
    .where(
      and(
        eq(purchases.priceAmount, sql.placeholder('amount')),
        eq(purchases.priceCurrency, sql.placeholder('currency')),
        eq(purchases.live, sql.placeholder('live')),
        sql`${purchases.reviewReason} IS NOT 'order'`,
      ),
    )
    .limit(1)
    .prepare()
  const selectPage = queries
    .select()
    .from(purchases)
    .where(
      and(
        eq(purchases.state, sql.placeholder('state')),
        gt(purchases.id, sql.placeholder('after')),
      ),
    )
    .orderBy(purchases.id)
    .limit(sql.placeholder('limit'))
    .prepare()

  return {
    update: async (email, origin, change) =>
      write(() => {
        const account = findAccount(email)
        const result = change(account)
        store(account, result, origin)
        return result
      }),
    updateById: async (id, origin, change) =>
      write(() => {
        const account = findAccountByPurchase(id)
        const purchase = account?.purchases.find((one) => one.id === id)
        if (!account || !purchase) return null
        const result = change(account, purchase)
        store(account, result, origin)
        return result
      }),
    findAccount: async (email) => readTogether(() => findAccount(email)),
    findAccountByPurchase: async (id) => readTogether(() => findAccountByPurchase(id)),
    findById: async (id) => read(() => findById(id)),
    findBySessionId: findBySession,
    findByPaymentIntentId: async (paymentIntentId) =>
      read(() => findByPaymentIntentId(paymentIntentId)),
    isAskedPrice: async (price, { live }) =>
      read(() => selectByPrice.get({ ...price, live }) !== undefined),
    list: async ({ states, after, limit }) =>
      readTogether(() =>
        // One query of the index for each state: for several states at once SQLite would sort all the rows that are
        // left.
        states
          .flatMap((state) => selectPage.all({ state, after: after ?? '', limit }))
          .sort((left, right) => (left.id < right.id ? -1 : 1))
          .slice(0, limit)
          .map(toPurchase),
      ),
  }
}

/** For use inside a write. */
export function prepareSavePurchase(queries: Queries): (purchase: Purchase) => void {
  const upsert = prepareUpsert(queries, purchases)
  return (purchase) => upsert(toPurchaseRow(purchase))
}

/** Stores what came of a change of an account, and writes down what it changed in the grants of the address. */
function prepareStore(
  queries: Queries,
): (
  account: Account,
  change: { purchase: Purchase | null; messages?: readonly OutboxMessage[] },
  origin: Origin,
) => void {
  const update = prepareUpdate(queries, purchases)
  const savePurchase = prepareSavePurchase(queries)
  const insertMessage = prepareInsertMessage(queries)
  const findReversals = prepareFindReversals(queries)
  const insertChanges = prepareInsertChanges(queries)
  const noteForeign = prepareInsertOnce(queries, foreignPayments)

  return (account, { purchase, messages = [] }, origin) => {
    if (purchase && !account.purchases.includes(purchase)) {
      const known = account.purchases.find(({ id }) => id === purchase.id)
      if (known) update(toPurchaseRow(known), toPurchaseRow(purchase))
      else savePurchase(purchase)
      const left = known ? leftPayment(known, purchase) : null
      if (left !== null) noteForeign({ paymentIntentId: left, storedAt: origin.at })
      const before = account.grants.filter(({ id }) => id === purchase.id)
      insertChanges({ before, after: grantsOf(purchase, findReversals) }, origin)
    }
    messages.forEach(insertMessage)
  }
}
