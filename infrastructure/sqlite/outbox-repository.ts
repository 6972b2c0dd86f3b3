import { and, eq, gt, lte, or, sql } from 'drizzle-orm'
import type { OutboxRepository } from '../../application/store.ts'
import {
  type OutboxKey,
  type OutboxKind,
  type OutboxMessage,
  WAIT_MAX_MS,
} from '../../domain/outbox.ts'
import { type MessageRow, toMessage, toMessageRow } from '../database/rows.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareInsertOnce, prepareUpdate } from './prepared-writes.ts'
import { outbox } from './schema.ts'

// A literal: SQLite uses the index of waiting messages only where the statement itself asks for no others.
const IS_WAITING = sql`${outbox.state} = 'waiting'`

export function sqliteOutboxRepository(database: SqliteDatabase): OutboxRepository {
  const { queries, read, readTogether, write } = database
  const findDue = prepareFindDue(queries)
  const updateRow = prepareUpdate(queries, outbox)
  const selectByKey = queries
    .select()
    .from(outbox)
    .where(eq(outbox.key, sql.placeholder('key')))
    .prepare()
  const selectByPurchase = queries
    .select()
    .from(outbox)
    .where(eq(outbox.purchaseId, sql.placeholder('purchaseId')))
    .orderBy(outbox.createdAt, outbox.key)
    .prepare()

  function update(
    known: OutboxMessage | null,
    change: (message: OutboxMessage) => OutboxMessage,
  ): OutboxMessage | null {
    if (!known) return null
    const changed = change(known)
    if (changed !== known) updateRow(toMessageRow(known), toMessageRow(changed))
    return changed
  }

  return {
    takeDue: async (due, begin) => {
      // Looks without the write lock first: nearly always nothing is due.
      if (!(await readTogether(() => findDue(due)))) return null
      return write(() => update(findDue(due), begin))
    },
    update: async (key, change) => write(() => update(findByKey(key), change)),
    findByPurchase: async (purchaseId) =>
      read(() => selectByPurchase.all({ purchaseId }).map(toMessage)),
  }

  function findByKey(key: OutboxKey): OutboxMessage | null {
    const row = selectByKey.get({ key })
    return row ? toMessage(row) : null
  }
}

/** For use inside a write. A message whose key is known stays as it is. */
export function prepareInsertMessage(queries: Queries): (message: OutboxMessage) => void {
  const insertOnce = prepareInsertOnce(queries, outbox)
  return (message) => insertOnce(toMessageRow(message))
}

/** Several statements: the caller sees to it that they see one moment. */
function prepareFindDue(
  queries: Queries,
): (due: { kinds: readonly OutboxKind[]; now: Date }) => OutboxMessage | null {
  const select = queries
    .select()
    .from(outbox)
    .where(
      and(
        IS_WAITING,
        eq(outbox.kind, sql.placeholder('kind')),
        or(lte(outbox.dueAt, sql.placeholder('now')), gt(outbox.dueAt, sql.placeholder('latest'))),
      ),
    )
    .orderBy(outbox.dueAt)
    .limit(1)
    .prepare()

  return ({ kinds, now }) => {
    const latest = now.getTime() + WAIT_MAX_MS
    const rows = kinds.flatMap((kind) => select.all({ kind, now: now.getTime(), latest }))
    const [first] = rows.sort((left, right) => dueTime(left) - dueTime(right))
    return first ? toMessage(first) : null
  }
}

function dueTime({ dueAt }: MessageRow): number {
  return dueAt?.getTime() ?? 0
}
