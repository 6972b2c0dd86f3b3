import { and, desc, eq, gte, sql } from 'drizzle-orm'
import { type SandboxSessionRow, toSandboxSession, toSandboxSessionRow } from '../database/rows.ts'
import type { SandboxSessionRecord, SandboxSessionStore } from '../sandbox/session.ts'
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
  const { sessionId, createdAt } = sandboxSessions
  const after = sql.placeholder('after')
  const selectPage = queries
    .select()
    .from(sandboxSessions)
    .where(
      and(
        gte(createdAt, sql.placeholder('since')),
        sql`(${after} is null or (${createdAt}, ${sessionId}) <
          (select created_at, session_id from sandbox_sessions where session_id = ${after}))`,
      ),
    )
    .orderBy(desc(createdAt), desc(sessionId))
    .limit(sql.placeholder('limit'))
    .prepare()
  const find = (sessionId: string) => toRecord(selectById.get({ sessionId }))

  return {
    create: async (record) =>
      write(() => {
        const existing = toRecord(selectByPurchase.get({ purchaseId: record.purchaseId }))
        if (existing) return existing
        insert(toSandboxSessionRow(record))
        return record
      }),
    find: async (sessionId) => read(() => find(sessionId)),
    update: async (sessionId, change) =>
      write(() => {
        const known = find(sessionId)
        if (!known) return null
        const changed = change(known)
        upsert(toSandboxSessionRow(changed))
        return changed
      }),
    list: async ({ since, after, limit }) =>
      read(() => {
        const rows = selectPage.all({ since: since.getTime(), after, limit })
        return rows.map(toSandboxSession)
      }),
  }
}

function toRecord(row: SandboxSessionRow | undefined): SandboxSessionRecord | null {
  return row ? toSandboxSession(row) : null
}
