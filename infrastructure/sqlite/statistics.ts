import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  and,
  asc,
  between,
  count,
  countDistinct,
  desc,
  eq,
  gt,
  isNotNull,
  lte,
  max,
  sql,
} from 'drizzle-orm'
import { onFirstUse } from '../../application/first-use.ts'
import type {
  FileSizes,
  OutboxCount,
  Statistics,
  WrongTryRanking,
} from '../../application/statistics.ts'
import type { ClientNetwork } from '../../domain/client-network.ts'
import type { PurchaseId } from '../../domain/order.ts'
import { PURCHASE_STATES, type PurchaseState } from '../../domain/purchase.ts'
import { toPurchaseCounts } from '../database/rows.ts'
import { IN_MEMORY, type Queries, type SqliteDatabase } from './database.ts'
import { freeBytesOf } from './files.ts'
import { auditEntries, otpWrongTries, outbox, purchases, serviceMails } from './schema.ts'
import { translateFileOutage } from './storage-outage.ts'

/** This many entries take a few milliseconds to count, and nothing else happens meanwhile. */
const ENTRIES_AT_ONCE = 10_000

/** The same. All purchases of a large shop together take far longer, in which nobody else would get an answer. */
const PURCHASES_AT_ONCE = 20_000
/** Before every id. */
const NO_PURCHASE = '' as PurchaseId

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

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
  // A start asks for the last change of a grant, and for nothing else.
  const countSlice = onFirstUse(() => prepareCountPurchases(queries))
  const countOutbox = onFirstUse(() => prepareCountOutbox(queries))
  const rankWrongTries = onFirstUse(() => prepareRankWrongTries(queries))
  const countServiceMails = onFirstUse(() => prepareCountServiceMails(queries))
  const rankServiceMails = onFirstUse(() => prepareRankServiceMails(queries))
  const selectGrantChanges = onFirstUse(() => prepareCountGrantChanges(queries))
  const selectLastGrantChange = queries.$client.prepare<{ last: number | null }, []>(
    'SELECT max(id) AS last FROM audit_entries',
  )

  return {
    async countPurchases() {
      const counted: { state: PurchaseState; purchases: number }[] = []
      for (const state of PURCHASE_STATES) {
        let sum = 0
        for (let after: PurchaseId | null = NO_PURCHASE; after !== null; ) {
          const slice = await read(() => countSlice()(state, after ?? NO_PURCHASE))
          sum += slice.purchases
          after = slice.purchases < PURCHASES_AT_ONCE ? null : slice.last
          // Whatever waits goes first.
          if (after !== null) await nextTurn()
        }
        counted.push({ state, purchases: sum })
      }
      return toPurchaseCounts(counted)
    },
    countOutbox: async () => readTogether(() => countOutbox()()),
    rankWrongTries: async ({ from, until, top }) =>
      // A placeholder takes only SQLite's own types, and dates are none.
      readTogether(() => rankWrongTries()({ from: from.getTime(), until: until.getTime(), top })),
    countServiceMails: async ({ since, until }) =>
      read(() => countServiceMails()({ since: since.getTime(), until: until.getTime() })),
    rankServiceMails: async ({ since, until, top }) =>
      read(() => rankServiceMails().all({ since: since.getTime(), until: until.getTime(), top })),
    findLastGrantChange: async () => read(() => selectLastGrantChange.get()?.last ?? 0),
    countGrantChanges: async (after) =>
      read(() => {
        const rows = selectGrantChanges().all({ after })
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

/** Of one state, some of those after a purchase, and the last one of them. */
function prepareCountPurchases(queries: Queries) {
  const slice = queries
    .select({ id: purchases.id })
    .from(purchases)
    .where(
      and(
        eq(purchases.state, sql.placeholder('state')),
        gt(purchases.id, sql.placeholder('after')),
      ),
    )
    .orderBy(asc(purchases.id))
    .limit(PURCHASES_AT_ONCE)
    .as('slice')
  const select = queries
    .select({ purchases: count(), last: max(slice.id) })
    .from(slice)
    .prepare()
  return (state: PurchaseState, after: PurchaseId) =>
    select.get({ state, after }) ?? { purchases: 0, last: null }
}

function prepareRankWrongTries(
  queries: Queries,
): (window: { from: number; until: number; top: number }) => WrongTryRanking {
  const { email, network, triedAt } = otpWrongTries
  const isInWindow = between(triedAt, sql.placeholder('from'), sql.placeholder('until'))
  const tries = count()
  const selectCounts = queries
    .select({ tries, addresses: countDistinct(email), networks: countDistinct(network) })
    .from(otpWrongTries)
    .where(isInWindow)
    .prepare()
  const selectAddresses = queries
    .select({ email, tries })
    .from(otpWrongTries)
    .where(isInWindow)
    .groupBy(email)
    .orderBy(desc(tries), asc(email))
    .limit(sql.placeholder('top'))
    .prepare()
  const selectNetworks = queries
    .select({ network: sql<ClientNetwork>`${network}`, tries })
    .from(otpWrongTries)
    .where(and(isInWindow, isNotNull(network)))
    .groupBy(network)
    .orderBy(desc(tries), asc(network))
    .limit(sql.placeholder('top'))
    .prepare()

  return (window) => ({
    ...(selectCounts.get(window) ?? { tries: 0, addresses: 0, networks: 0 }),
    topAddresses: selectAddresses.all(window),
    topNetworks: selectNetworks.all(window),
  })
}

function prepareCountServiceMails(queries: Queries) {
  const { sentAt, isCustomer } = serviceMails
  const select = queries
    .select({ all: count(), strangers: sql<number>`count(*) FILTER (WHERE ${isCustomer} = 0)` })
    .from(serviceMails)
    .where(and(gt(sentAt, sql.placeholder('since')), lte(sentAt, sql.placeholder('until'))))
    .prepare()
  return (window: { since: number; until: number }) =>
    select.get(window) ?? { all: 0, strangers: 0 }
}

function prepareRankServiceMails(queries: Queries) {
  const { network, sentAt } = serviceMails
  const mails = count()
  return queries
    .select({ network: sql<ClientNetwork>`${network}`, mails })
    .from(serviceMails)
    .where(
      and(
        gt(sentAt, sql.placeholder('since')),
        lte(sentAt, sql.placeholder('until')),
        isNotNull(network),
      ),
    )
    .groupBy(network)
    .orderBy(desc(mails), asc(network))
    .limit(sql.placeholder('top'))
    .prepare()
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
