import { eq, sql } from 'drizzle-orm'
import type { AuditTrail } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import { type AuditEntry, findGrantChanges, type Origin } from '../../domain/grant-change.ts'
import type { PremiumGrant } from '../../domain/premium-grant.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareFindGrants } from './find-grants.ts'
import { prepareInsert } from './prepared-writes.ts'
import { auditEntries } from './schema.ts'

export function sqliteAuditTrail({ queries, read }: SqliteDatabase): AuditTrail {
  const findEntries = prepareFindEntries(queries)
  return { findByEmail: async (email) => read(() => findEntries(email)) }
}

/** Oldest first. */
export function prepareFindEntries(queries: Queries): (email: Email) => readonly AuditEntry[] {
  const { at, by, source, grantId, email: address, reason, objectId, isActive } = auditEntries
  const select = queries
    .select({ at, by, source, grantId, email: address, reason, objectId, isActive })
    .from(auditEntries)
    .where(eq(address, sql.placeholder('email')))
    .orderBy(auditEntries.id)
    .prepare()

  return (email) => select.all({ email })
}

/** For use inside a write: does the work, and writes down what it changed in the grants of the addresses. */
export type RecordChanges = (emails: readonly Email[], origin: Origin, work: () => void) => void

export function prepareRecordChanges(queries: Queries): RecordChanges {
  const findGrants = prepareFindGrants(queries)
  const insertChanges = prepareInsertChanges(queries)

  return (emails, origin, work) => {
    const before = emails.flatMap(findGrants)
    work()
    insertChanges({ before, after: emails.flatMap(findGrants) }, origin)
  }
}

/** For use inside a write, by who knows the grants before and after it. */
export function prepareInsertChanges(
  queries: Queries,
): (
  grants: { before: readonly PremiumGrant[]; after: readonly PremiumGrant[] },
  origin: Origin,
) => void {
  const insert = prepareInsert(queries, auditEntries)
  return ({ before, after }, origin) => {
    for (const change of findGrantChanges(before, after)) insert({ ...change, ...origin })
  }
}
