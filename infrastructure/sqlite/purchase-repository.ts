import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Account, PurchaseRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { Origin } from '../../domain/grant-change.ts'
import type { OutboxMessage } from '../../domain/outbox.ts'
import type { Purchase } from '../../domain/purchase.ts'
import { type PurchaseRow, toPurchase, toPurchaseRow } from '../database/rows.ts'
import type { RecordChanges } from './audit-trail.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareFindGrants } from './find-grants.ts'
import { prepareInsertMessage } from './outbox-repository.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { disputes, purchases, refunds, verifications } from './schema.ts'

export function sqlitePurchaseRepository(
  database: Pick<SqliteDatabase, 'queries' | 'read' | 'readTogether' | 'write'>,
  recordChanges: RecordChanges,
): PurchaseRepository {
  const { queries, read, readTogether, write } = database
  const findAccount = prepareFindAccount(queries)
  const savePurchase = prepareSavePurchase(queries)
  const insertMessage = prepareInsertMessage(queries)
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
  const selectByPaymentIntentId = queries
    .select()
    .from(purchases)
    .where(eq(purchases.paymentIntentId, sql.placeholder('paymentIntentId')))
    .prepare()
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

  function store(
    account: Account,
    { purchase, messages = [] }: { purchase: Purchase | null; messages?: readonly OutboxMessage[] },
    origin: Origin,
  ): void {
    if (purchase && !account.purchases.includes(purchase)) {
      recordChanges([purchase.email], origin, () => savePurchase(purchase))
    }
    messages.forEach(insertMessage)
  }

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
        const row = selectById.get({ id })
        if (!row) return null
        const account = findAccount(row.email)
        const purchase = account.purchases.find((one) => one.id === id) ?? toPurchase(row)
        const result = change(account, purchase)
        store(account, result, origin)
        return result
      }),
    findAccount: async (email) => readTogether(() => findAccount(email)),
    findAccountByPurchase: async (id) =>
      readTogether(() => {
        const row = selectById.get({ id })
        return row ? findAccount(row.email) : null
      }),
    findById: async (id) => read(() => purchaseOrNull(selectById.get({ id }))),
    findBySessionId: async (sessionId) =>
      read(() => purchaseOrNull(selectBySessionId.get({ sessionId }))),
    findByPaymentIntentId: async (paymentIntentId) =>
      read(() => purchaseOrNull(selectByPaymentIntentId.get({ paymentIntentId }))),
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

/** Several statements: the caller sees to it that they see one moment. */
export function prepareFindAccount(queries: Queries): (email: Email) => Account {
  const findGrants = prepareFindGrants(queries)
  const selectByEmail = queries
    .select()
    .from(purchases)
    .where(eq(purchases.email, sql.placeholder('email')))
    .orderBy(purchases.createdAt, purchases.id)
    .prepare()
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

  const selectVerification = queries
    .select()
    .from(verifications)
    .where(eq(verifications.email, sql.placeholder('email')))
    .prepare()

  return (email) => ({
    purchases: selectByEmail.all({ email }).map(toPurchase),
    grants: findGrants(email),
    refunds: selectRefunds.all({ email }),
    disputes: selectDisputes.all({ email }),
    verification: selectVerification.get({ email }) ?? null,
  })
}

function purchaseOrNull(row: PurchaseRow | undefined): Purchase | null {
  return row ? toPurchase(row) : null
}
