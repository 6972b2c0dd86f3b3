import { eq } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { KeptRecords, PersonalData } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { PostgresDatabase, Queries, Transaction } from './connection/database.ts'
import { EPOCH, ofAddress } from './connection/locks.ts'
import { findAccount } from './find-account.ts'
import { findRecords } from './find-records.ts'
import { findEpoch, storeEpoch } from './log-out-repository.ts'
import { revokeAll } from './premium-grant-repository.ts'
import { upsert } from './prepared.ts'
import { storePurchase } from './purchase-repository.ts'
import {
  auditEntries,
  erasedLogOuts,
  logOuts,
  operatorGrants,
  otpMails,
  otps,
  otpWrongTries,
  outbox,
  purchases,
  sandboxSessions,
  verifications,
} from './schema.ts'

/** The tables with data about a single address. */
const DELETED = [otps, otpMails, otpWrongTries, verifications, logOuts]

/** Deleted rows leave the server's files when PostgreSQL vacuums and recycles its log. */
export function postgresPersonalData({ readTogether, write }: PostgresDatabase): PersonalData {
  return {
    find: (email) => readTogether((queries) => findRecords(queries, email)),
    erase: (email, { name, digests, origin }, decide) =>
      write([ofAddress(email), EPOCH], async (transaction) => {
        const { queries, store } = transaction
        const [account, epoch] = await Promise.all([
          findAccount(queries, email),
          findEpoch(queries),
        ])
        const decision = decide(account, epoch)
        if (!decision) return null
        for (const purchase of decision.closed) storePurchase(transaction, purchase)
        await revokeAll(transaction, email, origin)
        for (const table of DELETED) store(queries.delete(table).where(eq(table.email, email)))
        storeEpoch(transaction, decision.epoch)
        for (const trace of digests) {
          const erased = { trace, epoch: decision.epoch }
          store(upsert(queries, erasedLogOuts, [erasedLogOuts.trace], erased))
        }
        const { refunds, disputes } = account
        return {
          refunds: refunds.length,
          disputes: disputes.length,
          ...(await rename(transaction, { email, name })),
        }
      }),
  }
}

async function rename(
  { queries }: Transaction,
  names: { email: Email; name: Email },
): Promise<Omit<KeptRecords, 'refunds' | 'disputes'>> {
  const [ofPurchases, ofGrants, ofMessages, ofEntries, ofSessions] = await Promise.all([
    renameIn(queries, purchases, purchases.email, names),
    renameIn(queries, operatorGrants, operatorGrants.email, names),
    renameIn(queries, outbox, outbox.email, names),
    renameIn(queries, auditEntries, auditEntries.email, names),
    renameIn(queries, sandboxSessions, sandboxSessions.customerEmail, names),
  ])
  return {
    purchases: ofPurchases,
    operatorGrants: ofGrants,
    messages: ofMessages,
    auditEntries: ofEntries,
    sandboxSessions: ofSessions,
  }
}

async function renameIn(
  queries: Queries,
  table: PgTable,
  column: PgColumn,
  { email, name }: { email: Email; name: Email },
): Promise<number> {
  const key = Object.entries(table).find(([, one]) => one === column)?.[0] ?? ''
  const { rowCount } = await queries
    .update(table)
    .set({ [key]: name })
    .where(eq(column, email))
  return rowCount ?? 0
}
