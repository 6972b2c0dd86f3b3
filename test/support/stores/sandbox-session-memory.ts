import type {
  SandboxSessionRecord,
  SandboxSessionStore,
} from '../../../infrastructure/sandbox/session.ts'

/** The sandbox's sessions, in memory. Its methods run to the end without a pause, so they are atomic. */
export function memorySandboxSessions(): SandboxSessionStore {
  const records = new Map<string, SandboxSessionRecord>()
  return {
    async create(record) {
      const known = [...records.values()].find(({ purchaseId }) => purchaseId === record.purchaseId)
      if (known) return known
      records.set(record.sessionId, record)
      return record
    },
    find: async (sessionId) => records.get(sessionId) ?? null,
    async update(sessionId, change) {
      const known = records.get(sessionId)
      if (!known) return null
      const changed = change(known)
      records.set(sessionId, changed)
      return changed
    },
    async list({ since, after, limit }) {
      const listed = [...records.values()]
        .filter(({ createdAt }) => createdAt >= since)
        .sort(compareByAge)
      if (after === null) return listed.slice(0, limit)
      const start = listed.findIndex(({ sessionId }) => sessionId === after) + 1
      return start === 0 ? [] : listed.slice(start, start + limit)
    },
  }
}

/** Newest first, and in the same millisecond by name. */
function compareByAge(left: SandboxSessionRecord, right: SandboxSessionRecord): number {
  const byAge = right.createdAt.getTime() - left.createdAt.getTime()
  return byAge || (left.sessionId < right.sessionId ? 1 : -1)
}
