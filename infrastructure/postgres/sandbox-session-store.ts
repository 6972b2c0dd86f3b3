import { and, desc, eq, gte, sql } from 'drizzle-orm'
import { toSandboxSession, toSandboxSessionRow } from '../database/rows.ts'
import type { SandboxSessionRecord, SandboxSessionStore } from '../sandbox/session.ts'
import type { PostgresDatabase } from './connection/database.ts'
import { upsert } from './prepared.ts'
import { sandboxSessions } from './schema.ts'

export function postgresSandboxSessionStore({
  read,
  write,
}: PostgresDatabase): SandboxSessionStore {
  const { sessionId: id, purchaseId: ofPurchase, createdAt } = sandboxSessions
  return {
    create: (record) =>
      write([], async ({ queries }) => {
        // Waits for another transaction that stores one of the same purchase, and then finds that.
        await queries
          .insert(sandboxSessions)
          .values(toSandboxSessionRow(record))
          .onConflictDoNothing({ target: ofPurchase })
        const [row] = await queries
          .select()
          .from(sandboxSessions)
          .where(eq(ofPurchase, record.purchaseId))
        return row ? toSandboxSession(row) : record
      }),
    find: (sessionId) =>
      read(async (queries) => {
        const rows = await queries.select().from(sandboxSessions).where(eq(id, sessionId))
        return rows.map(toSandboxSession)[0] ?? null
      }),
    update: (sessionId, change) =>
      write([], async ({ queries, store }) => {
        const [row] = await queries
          .select()
          .from(sandboxSessions)
          .where(eq(id, sessionId))
          .for('update')
        if (!row) return null
        const changed: SandboxSessionRecord = change(toSandboxSession(row))
        store(upsert(queries, sandboxSessions, [id], toSandboxSessionRow(changed)))
        return changed
      }),
    list: ({ since, after, limit }) =>
      read(async (queries) => {
        const isAfter =
          after === null
            ? undefined
            : sql`(${createdAt}, ${id}) < (SELECT created_at, session_id FROM sandbox_sessions
                WHERE session_id = ${after})`
        const rows = await queries
          .select()
          .from(sandboxSessions)
          .where(and(gte(createdAt, since), isAfter))
          .orderBy(desc(createdAt), desc(id))
          .limit(limit)
        return rows.map(toSandboxSession)
      }),
  }
}
