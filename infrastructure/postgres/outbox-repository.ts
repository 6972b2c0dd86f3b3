import { eq, type SQL, sql } from 'drizzle-orm'
import type { OutboxRepository } from '../../application/store.ts'
import { type OutboxKind, type OutboxMessage, WAIT_MAX_MS } from '../../domain/outbox.ts'
import { type MessageRow, toMessage, toMessageRow } from '../database/rows.ts'
import type { PostgresDatabase, Queries, Transaction } from './connection/database.ts'
import { insertOnce, prepared } from './prepared.ts'
import { outbox } from './schema.ts'

type Due = { readonly kinds: readonly OutboxKind[]; readonly now: Date }

export function postgresOutboxRepository({ read, write }: PostgresDatabase): OutboxRepository {
  return {
    async takeDue(due, begin) {
      // Looks without a lock first: nearly always nothing is due.
      const isAnyDue = await read(async (queries) => (await findDue(queries, due)) !== null)
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
  for (const message of messages) store(insertOnce(queries, outbox, toMessageRow(message)))
}

const updateMessage = prepared((queries) =>
  queries
    .update(outbox)
    .set({
      attempts: sql`${sql.placeholder('attempts')}`,
      state: sql`${sql.placeholder('state')}`,
      dueAt: sql`${sql.placeholder('dueAt')}`,
      endedAt: sql`${sql.placeholder('endedAt')}`,
    })
    .where(eq(outbox.key, sql.placeholder('key'))),
)

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
    const { key } = known
    store(updateMessage(queries).execute({ key, attempts, state, dueAt, endedAt }))
  }
  return changed
}

/** One that is taken is locked; one that another transaction takes at this moment is passed over. */
async function findDue(
  queries: Queries,
  due: Due,
  { isTaken = false } = {},
): Promise<MessageRow | null> {
  const select = queries
    .select()
    .from(outbox)
    .where(eq(outbox.key, keyOfDue(due, { isTaken })))
  const [row] = await (isTaken ? select.for('update') : select)
  return row ?? null
}

/**
 * Of each kind, the one that has waited for the longest, and the one that waits for too long because the clock has been
 * set back: each the first of its index, however many wait. Of these, the earliest.
 */
function keyOfDue({ kinds, now }: Due, { isTaken }: { isTaken: boolean }): SQL {
  const latest = new Date(now.getTime() + WAIT_MAX_MS)
  const spans = sql`VALUES ('-infinity'::timestamptz, ${now}::timestamptz), (${latest}, 'infinity')`
  return sql`(
    SELECT first.key
    FROM unnest(${sql.param([...kinds])}::text[]) AS kinds (kind),
      (${spans}) AS spans (after, until),
      LATERAL (
        SELECT key, due_at FROM outbox
        WHERE state = 'waiting' AND outbox.kind = kinds.kind
          AND due_at > spans.after AND due_at <= spans.until
        ORDER BY due_at LIMIT 1 ${isTaken ? sql`FOR UPDATE SKIP LOCKED` : sql``}
      ) AS first
    ORDER BY first.due_at LIMIT 1
  )`
}
