import { and, eq, gt, inArray, lte, or } from 'drizzle-orm'
import type { OutboxRepository } from '../../application/store.ts'
import { type OutboxKind, type OutboxMessage, WAIT_MAX_MS } from '../../domain/outbox.ts'
import { type MessageRow, toMessage, toMessageRow } from '../database/rows.ts'
import type { PostgresDatabase, Queries, Transaction } from './connection/database.ts'
import { outbox } from './schema.ts'

export function postgresOutboxRepository({
  read,
  readTogether,
  write,
}: PostgresDatabase): OutboxRepository {
  return {
    async takeDue(due, begin) {
      // Looks without a lock first: nearly always nothing is due.
      const isAnyDue = await readTogether(async (queries) => (await findDue(queries, due)) !== null)
      if (!isAnyDue) return null
      return write([], async (transaction) =>
        change(transaction, await findDue(transaction.queries, due, { isTaken: true }), begin),
      )
    },
    update: (key, end) =>
      write([], async (transaction) => {
        const { queries } = transaction
        const [row] = await queries.select().from(outbox).where(eq(outbox.key, key)).for('update')
        return change(transaction, row ?? null, end)
      }),
    findByPurchase: (purchaseId) =>
      read(async (queries) => {
        const rows = await queries
          .select()
          .from(outbox)
          .where(eq(outbox.purchaseId, purchaseId))
          .orderBy(outbox.createdAt, outbox.key)
        return rows.map(toMessage)
      }),
  }
}

/** A message whose key is known stays as it is. */
export function storeMessages(
  { queries, store }: Transaction,
  messages: readonly OutboxMessage[],
): void {
  if (messages.length === 0) return
  store(queries.insert(outbox).values(messages.map(toMessageRow)).onConflictDoNothing())
}

/** The row is locked. Its address stays as it is in the table. */
function change(
  { queries, store }: Transaction,
  row: MessageRow | null,
  work: (message: OutboxMessage) => OutboxMessage,
): OutboxMessage | null {
  if (!row) return null
  const known = toMessage(row)
  const changed = work(known)
  if (changed !== known) {
    const { attempts, state, dueAt, endedAt } = toMessageRow(changed)
    store(
      queries
        .update(outbox)
        .set({ attempts, state, dueAt, endedAt })
        .where(eq(outbox.key, known.key)),
    )
  }
  return changed
}

/** One that is taken is locked; one that another transaction takes at this moment is passed over. */
async function findDue(
  queries: Queries,
  { kinds, now }: { kinds: readonly OutboxKind[]; now: Date },
  { isTaken = false } = {},
): Promise<MessageRow | null> {
  const latest = new Date(now.getTime() + WAIT_MAX_MS)
  const select = queries
    .select()
    .from(outbox)
    .where(
      and(
        eq(outbox.state, 'waiting'),
        inArray(outbox.kind, [...kinds]),
        or(lte(outbox.dueAt, now), gt(outbox.dueAt, latest)),
      ),
    )
    .orderBy(outbox.dueAt)
    .limit(1)
  const [row] = await (isTaken ? select.for('update', { skipLocked: true }) : select)
  return row ?? null
}
