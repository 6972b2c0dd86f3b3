import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { DisputeRepository, RefundRepository } from '../../application/store.ts'
import type { Dispute } from '../../domain/dispute.ts'
import type { Email } from '../../domain/email.ts'
import type { Origin } from '../../domain/grant-change.ts'
import type { Refund } from '../../domain/refund.ts'
import { mergeReported } from '../database/reported-reversals.ts'
import { recordChanges } from './audit-trail.ts'
import type { PostgresDatabase, Queries, Transaction } from './connection/database.ts'
import { ofAddress, ofPayment } from './connection/locks.ts'
import { upsert } from './prepared.ts'
import { disputes, foreignPayments, purchases, refunds } from './schema.ts'

export function postgresRefundRepository(database: PostgresDatabase): RefundRepository {
  return reversalRepository<Refund>(database, {
    find: (queries, ids) =>
      queries
        .select()
        .from(refunds)
        .where(inArray(refunds.id, [...ids])),
    save: ({ queries, store }, fact) => store(upsert(queries, refunds, [refunds.id], fact)),
    findPendingPayments: (queries) =>
      findPayments(queries, refunds, sql`${refunds.state} = 'pending'`),
  })
}

export function postgresDisputeRepository(database: PostgresDatabase): DisputeRepository {
  // Literals: PostgreSQL sees that the index has them, whatever it plans for.
  const isPending = sql`${disputes.state} IN ('inquiry', 'open')`
  return reversalRepository<Dispute>(database, {
    find: (queries, ids) =>
      queries
        .select()
        .from(disputes)
        .where(inArray(disputes.id, [...ids])),
    save: ({ queries, store }, fact) => store(upsert(queries, disputes, [disputes.id], fact)),
    findPendingPayments: (queries) => findPayments(queries, disputes, isPending),
  })
}

/** The payments of purchases of ours with a reversal of which the condition holds. */
async function findPayments(
  queries: Queries,
  reversals: typeof refunds | typeof disputes,
  condition: SQL,
): Promise<readonly string[]> {
  const rows = await queries
    .selectDistinct({ paymentIntentId: reversals.paymentIntentId })
    .from(reversals)
    .innerJoin(purchases, eq(purchases.paymentIntentId, reversals.paymentIntentId))
    .where(condition)
  return rows.map(({ paymentIntentId }) => paymentIntentId)
}

type Reference = Pick<Refund | Dispute, 'id' | 'paymentIntentId'>

/** What the two repositories do alike. Audit entries are stored together with the changes that they follow from. */
function reversalRepository<Fact extends Refund | Dispute>(
  { read, write }: PostgresDatabase,
  {
    find,
    save,
    findPendingPayments,
  }: {
    find: (queries: Queries, ids: readonly string[]) => PromiseLike<Fact[]>
    save: (transaction: Transaction, fact: Fact) => void
    findPendingPayments: (queries: Queries) => Promise<readonly string[]>
  },
) {
  async function update<Reported extends Reference>(
    transaction: Transaction,
    reported: readonly Reported[],
    {
      origin,
      change,
      owners,
    }: {
      origin: Origin
      change: (known: Fact | null, reported: Reported) => Fact
      owners: Owners
    },
  ): Promise<number> {
    const { queries } = transaction
    const stored = await find(
      queries,
      reported.map(({ id }) => id),
    )
    const known = new Map(stored.map((fact) => [fact.id, fact]))
    const { facts, changes } = mergeReported(reported, {
      find: (id) => known.get(id) ?? null,
      change,
    })
    await recordChanges(transaction, owners.buyers, origin, () => {
      for (const fact of facts) save(transaction, fact)
    })
    const foreign = paymentsOf(facts).filter((payment) => !owners.payments.has(payment))
    noteForeign(transaction, foreign, origin.at)
    return changes
  }

  return {
    async update<Reported extends Reference>(
      reported: readonly Reported[],
      origin: Origin,
      change: (known: Fact | null, reported: Reported) => Fact,
    ): Promise<number> {
      if (reported.length === 0) return 0
      for (;;) {
        const known = await read((queries) =>
          find(
            queries,
            reported.map(({ id }) => id),
          ),
        )
        const payments = paymentsOf([...known, ...reported])
        const owners = await read((queries) => findOwners(queries, payments))
        const changes = await write(
          [...owners.buyers.map(ofAddress), ...payments.map(ofPayment)],
          async (transaction) => {
            const now = await findOwners(transaction.queries, payments)
            // An address that was erased, or has become known, in between has no lock yet.
            const isLocked = now.buyers.every((buyer) => owners.buyers.includes(buyer))
            return isLocked ? update(transaction, reported, { origin, change, owners: now }) : null
          },
        )
        if (changes !== null) return changes
      }
    },
    findById: (id: string) => read(async (queries) => (await find(queries, [id]))[0] ?? null),
    findPendingPayments: () => read(findPendingPayments),
  }
}

/** To whom payments belong. */
type Owners = {
  /** The addresses whose grants depend on them. */
  readonly buyers: readonly Email[]
  /** Those of them of which a purchase is known, paid or not. */
  readonly payments: ReadonlySet<string>
}

async function findOwners(queries: Queries, payments: readonly string[]): Promise<Owners> {
  const rows = await queries
    .select({ email: purchases.email, payment: purchases.paymentIntentId, state: purchases.state })
    .from(purchases)
    .where(inArray(purchases.paymentIntentId, [...payments]))
  const paid = rows.filter(({ state }) => state === 'paid')
  return {
    buyers: [...new Set(paid.map(({ email }) => email))],
    payments: new Set(rows.flatMap(({ payment }) => payment ?? [])),
  }
}

function paymentsOf(facts: readonly Reference[]): readonly string[] {
  return [...new Set(facts.map(({ paymentIntentId }) => paymentIntentId))]
}

/** Notes since when something is stored of a payment of which no purchase is known, so that it is deleted in time. */
export function noteForeign(
  { queries, store }: Transaction,
  payments: readonly string[],
  storedAt: Date,
): void {
  if (payments.length === 0) return
  const rows = payments.map((paymentIntentId) => ({ paymentIntentId, storedAt }))
  store(queries.insert(foreignPayments).values(rows).onConflictDoNothing())
}
