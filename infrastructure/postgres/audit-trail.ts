import { eq } from 'drizzle-orm'
import type { AuditTrail } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import { type AuditEntry, findGrantChanges, type Origin } from '../../domain/grant-change.ts'
import type { PremiumGrant } from '../../domain/premium-grant.ts'
import type { PostgresDatabase, Queries, Transaction } from './connection/database.ts'
import { findGrants } from './find-grants.ts'
import { insert } from './prepared.ts'
import { auditEntries } from './schema.ts'

export function postgresAuditTrail({ read }: PostgresDatabase): AuditTrail {
  return { findByEmail: (email) => read((queries) => findEntries(queries, email)) }
}

/** Oldest first. */
export async function findEntries(queries: Queries, email: Email): Promise<readonly AuditEntry[]> {
  const { at, by, source, grantId, email: address, reason, objectId, isActive } = auditEntries
  return queries
    .select({ at, by, source, grantId, email: address, reason, objectId, isActive })
    .from(auditEntries)
    .where(eq(address, email))
    .orderBy(auditEntries.id)
}

/**
 * Does the work, and writes down what it changed in the grants of the addresses, whose locks the transaction has.
 * Returns the grants as they were.
 */
export async function recordChanges(
  transaction: Transaction,
  emails: readonly Email[],
  origin: Origin,
  work: () => void,
): Promise<readonly PremiumGrant[]> {
  const before = await findGrants(transaction.queries, emails)
  work()
  const after = await findGrants(transaction.queries, emails)
  storeChanges(transaction, { before, after }, origin)
  return before
}

/** For a caller that knows the grants before and after a change. */
export function storeChanges(
  { queries, store }: Transaction,
  { before, after }: { before: readonly PremiumGrant[]; after: readonly PremiumGrant[] },
  origin: Origin,
): void {
  for (const change of findGrantChanges(before, after)) {
    store(insert(queries, auditEntries, { ...change, ...origin }))
  }
}
