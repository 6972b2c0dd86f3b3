import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { asc, between, count, gt, max, sql } from 'drizzle-orm'
import type { FileSizes, OutboxCount, Statistics } from '../../application/statistics.ts'
import { toPurchaseCounts } from '../database/rows.ts'
import { IN_MEMORY, type Queries, type SqliteDatabase } from './database.ts'
import { freeBytesOf } from './files.ts'
import { auditEntries, otpWrongTries, outbox, purchases } from './schema.ts'
import { translateFileOutage } from './storage-outage.ts'

/** This many entries take a few milliseconds to count, and nothing else happens meanwhile. */
const ENTRIES_AT_ONCE = 10_000

// Literals: SQLite uses the indices of waiting messages and of given-up ones only where the statement itself fits them.
const IS_WAITING = sql`${outbox.state} = 'waiting'`
const IS_GIVEN_UP = sql`${outbox.state} = 'given_up'`
// A group has at least one row: `min` of drizzle does not know that.
const OLDEST = sql<Date>`min(${outbox.createdAt})`.mapWith(outbox.createdAt)

export function sqliteStatistics({
  path,
  queries,
  read,
  readTogether,
}: SqliteDatabase): Statistics {
  const selectPurchases = queries
    .select({ state: purchases.state, purchases: count() })
    .from(purchases)
    .groupBy(purchases.state)
    .prepare()
  const countOutbox = prepareCountOutbox(queries)
  const selectWrongTries = queries
    .select({ tries: count() })
    .from(otpWrongTries)
    .where(between(otpWrongTries.triedAt, sql.placeholder('from'), sql.placeholder('until')))
    .prepare()
  const selectLastGrantChange = queries
    .select({ last: max(auditEntries.id) })
    .from(auditEntries)
    .prepare()
  const selectGrantChanges = prepareCountGrantChanges(queries)

  return {
    countPurchases: async () => read(() => toPurchaseCounts(selectPurchases.all())),
    countOutbox: async () => readTogether(countOutbox),
    countWrongTries: async ({ from, until }) =>
      // A placeholder takes only SQLite's own types, and dates are none.
      read(
        () => selectWrongTries.get({ from: from.getTime(), until: until.getTime() })?.tries ?? 0,
      ),
    findLastGrantChange: async () => read(() => selectLastGrantChange.get()?.last ?? 0),
    countGrantChanges: async (after) =>
      read(() => {
        const rows = selectGrantChanges.all({ after })
        const entries = rows.reduce((sum, { changes }) => sum + changes, 0)
        return {
          last: Math.max(after, ...rows.map(({ last }) => last ?? after)),
          isAll: entries < ENTRIES_AT_ONCE,
          counts: rows.map(({ last, ...counted }) => counted),
        }
      }),
    measureFiles: async () => (path === IN_MEMORY ? null : measureFiles(path)),
  }
}

/** Two statements, because SQLite would look at every message there ever was for one that asks for both states. */
function prepareCountOutbox(queries: Queries): () => readonly OutboxCount[] {
  const { kind } = outbox
  const prepare = (condition: typeof IS_WAITING) =>
    queries
      .select({ kind, messages: count(), oldestAt: OLDEST })
      .from(outbox)
      .where(condition)
      .groupBy(kind)
      .prepare()
  const selectWaiting = prepare(IS_WAITING)
  const selectGivenUp = prepare(IS_GIVEN_UP)

  return () => [
    ...selectWaiting.all().map((row) => ({ ...row, state: 'waiting' as const })),
    ...selectGivenUp.all().map((row) => ({ ...row, state: 'given_up' as const })),
  ]
}

function prepareCountGrantChanges(queries: Queries) {
  const { id, by, reason, isActive } = auditEntries
  const entries = queries
    .select({ id, by, reason, isActive })
    .from(auditEntries)
    .where(gt(id, sql.placeholder('after')))
    .orderBy(asc(id))
    .limit(ENTRIES_AT_ONCE)
    .as('entries')
  return queries
    .select({
      by: entries.by,
      reason: entries.reason,
      isActive: entries.isActive,
      changes: count(),
      last: max(entries.id),
    })
    .from(entries)
    .groupBy(entries.by, entries.reason, entries.isActive)
    .prepare()
}

function measureFiles(path: string): FileSizes {
  return translateFileOutage(() => ({
    databaseBytes: statSync(path).size,
    logBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    freeBytes: freeBytesOf(dirname(path)),
  }))
}
