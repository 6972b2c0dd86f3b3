import { eq, sql } from 'drizzle-orm'
import type { SandboxSessionRecord, SandboxSessionStore } from '../sandbox-session.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareInsert, prepareUpsert } from './prepared-writes.ts'
import { sandboxSessions } from './schema.ts'

export function sqliteSandboxSessionStore({
  queries,
  read,
  write,
}: SqliteDatabase): SandboxSessionStore {
  const insert = prepareInsert(queries, sandboxSessions)
  const upsert = prepareUpsert(queries, sandboxSessions)
  const selectById = queries
    .select()
    .from(sandboxSessions)
    .where(eq(sandboxSessions.sessionId, sql.placeholder('sessionId')))
    .prepare()
  const selectByPurchase = queries
    .select()
    .from(sandboxSessions)
    .where(eq(sandboxSessions.purchaseId, sql.placeholder('purchaseId')))
    .prepare()
  const find = (sessionId: string) => toRecord(selectById.get({ sessionId }))

  return {
    create: async (record) =>
      write(() => {
        const existing = toRecord(selectByPurchase.get({ purchaseId: record.purchaseId }))
        if (existing) return existing
        insert(toRow(record))
        return record
      }),
    find: async (sessionId) => read(() => find(sessionId)),
    update: async (sessionId, change) =>
      write(() => {
        const known = find(sessionId)
        if (!known) return null
        const changed = change(known)
        upsert(toRow(changed))
        return changed
      }),
  }
}

type SandboxSessionRow = typeof sandboxSessions.$inferSelect

function toRow({ price, ...record }: SandboxSessionRecord): SandboxSessionRow {
  return { ...record, priceAmount: price.amount, priceCurrency: price.currency }
}

function toRecord(row: SandboxSessionRow | undefined): SandboxSessionRecord | null {
  if (!row) return null
  const { priceAmount, priceCurrency, ...record } = row
  return { ...record, price: { amount: priceAmount, currency: priceCurrency } }
}
