import { and, between, eq, lte, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Account, PurchaseRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { Origin } from '../../domain/grant-change.ts'
import type { PurchaseId } from '../../domain/order.ts'
import type { OutboxMessage } from '../../domain/outbox.ts'
import type { Purchase } from '../../domain/purchase.ts'
import { leftPayment } from '../database/reported-reversals.ts'
import { toPurchase, toPurchaseRow } from '../database/rows.ts'
import { storeChanges } from './audit-trail.ts'
import type { PostgresDatabase, Transaction } from './connection/database.ts'
import { ofAddress, ofPayment } from './connection/locks.ts'
import { findAccount } from './find-account.ts'
import { findReversals, grantsOf } from './find-grants.ts'
import { storeMessages } from './outbox-repository.ts'
import { prepared, upsert } from './prepared.ts'
import { noteForeign } from './reversal-repositories.ts'
import { purchases } from './schema.ts'

type Change = { purchase: Purchase | null; messages?: readonly OutboxMessage[] }

export function postgresPurchaseRepository(database: PostgresDatabase): PurchaseRepository {
  const { read, readTogether, write } = database

  async function findBy(select: typeof selectById, value: string): Promise<Purchase | null> {
    const [row] = await read((queries) => select(queries).execute({ value }))
    return row ? toPurchase(row) : null
  }

  async function findEmail(id: PurchaseId): Promise<Email | null> {
    const [row] = await read((queries) => selectEmail(queries).execute({ id }))
    return row?.email ?? null
  }

  return {
    update: (email, origin, change) =>
      write([ofAddress(email)], async (transaction) => {
        const account = await findAccount(transaction.queries, email)
        const result = change(account)
        await store(transaction, account, result, origin)
        return result
      }),
    async updateById(id, origin, change) {
      // Again, should the address be erased between its reading and its lock.
      for (let email = await findEmail(id); email !== null; email = await findEmail(id)) {
        const address = email
        const changed = await write([ofAddress(address)], async (transaction) => {
          const account = await findAccount(transaction.queries, address)
          const purchase = account.purchases.find((one) => one.id === id)
          if (!purchase) return null
          const result = change(account, purchase)
          await store(transaction, account, result, origin)
          return result
        })
        if (changed) return changed
      }
      return null
    },
    findAccount: (email) => readTogether((queries) => findAccount(queries, email)),
    findAccountByPurchase: (id) =>
      readTogether(async (queries) => {
        const [row] = await selectEmail(queries).execute({ id })
        return row ? findAccount(queries, row.email) : null
      }),
    findById: (id) => findBy(selectById, id),
    findBySessionId: (sessionId) => findBy(selectBySession, sessionId),
    findByPaymentIntentId: (paymentIntentId) => findBy(selectByPayment, paymentIntentId),
    isAskedPrice: ({ amount, currency }, { live }) =>
      read(async (queries) => {
        const rows = await queries
          .select({ id: purchases.id })
          .from(purchases)
          .where(
            and(
              // In the order of the index: else PostgreSQL reads purchases of a common price until one is met.
              between(purchases.priceAmount, amount, amount),
              eq(purchases.priceCurrency, currency),
              eq(purchases.live, live),
              sql`${purchases.reviewReason} IS DISTINCT FROM 'order'`,
            ),
          )
          .orderBy(purchases.priceAmount)
          .limit(1)
        return rows.length > 0
      }),
    list: ({ states, after, limit }) =>
      readTogether(async (queries) => {
        // One query of the index for each state: for several states at once all the rows that are left would be sorted.
        const pages = await Promise.all(
          states.map((state) =>
            queries
              .select()
              .from(purchases)
              .where(
                and(
                  // Both by the order of that index: by that of the ids alone, all the others would be read, too.
                  sql`(${purchases.state}, ${purchases.id}) > (${state}, ${after ?? ''})`,
                  lte(purchases.state, state),
                ),
              )
              .orderBy(purchases.state, purchases.id)
              .limit(limit),
          ),
        )
        return pages
          .flat()
          .sort((left, right) => (left.id < right.id ? -1 : 1))
          .slice(0, limit)
          .map(toPurchase)
      }),
  }
}

const selectEmail = prepared((queries) =>
  queries
    .select({ email: purchases.email })
    .from(purchases)
    .where(eq(purchases.id, sql.placeholder('id'))),
)

const selectById = selectBy(purchases.id)
const selectBySession = selectBy(purchases.sessionId)
const selectByPayment = selectBy(purchases.paymentIntentId)

function selectBy(column: PgColumn) {
  return prepared((queries) =>
    queries
      .select()
      .from(purchases)
      .where(eq(column, sql.placeholder('value'))),
  )
}

/** For a transaction that has the lock of the address. A row that was pruned meanwhile is there again. */
export function storePurchase({ queries, store }: Transaction, purchase: Purchase): void {
  store(upsert(queries, purchases, [purchases.id], toPurchaseRow(purchase)))
}

/** Stores what came of a change of an account, and writes down what it changed in the grants of the address. */
async function store(
  transaction: Transaction,
  account: Account,
  { purchase, messages = [] }: Change,
  origin: Origin,
): Promise<void> {
  if (purchase && !account.purchases.includes(purchase)) {
    const before = account.grants.filter(({ id }) => id === purchase.id)
    storePurchase(transaction, purchase)
    const known = account.purchases.find(({ id }) => id === purchase.id)
    const left = known ? leftPayment(known, purchase) : null
    if (left !== null) noteForeign(transaction, [left], origin.at)
    const reversals = await lockedReversals(transaction, account, purchase)
    storeChanges(transaction, { before, after: grantsOf(purchase, reversals) }, origin)
  }
  storeMessages(transaction, messages)
}

/**
 * What came back of the payment of a purchase. Whoever reports a refund of a payment that no paid purchase has yet
 * holds the lock of the payment, and not that of the address: so that the audit trail has it, one of the two has to
 * wait.
 */
async function lockedReversals(
  { queries, lock }: Transaction,
  account: Account,
  { paymentIntentId }: Purchase,
) {
  const isPaid = account.purchases.some(
    (one) => one.state === 'paid' && one.paymentIntentId === paymentIntentId,
  )
  if (paymentIntentId === null || isPaid) return account
  lock([ofPayment(paymentIntentId)])
  return findReversals(queries, paymentIntentId)
}
