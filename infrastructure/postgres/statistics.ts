import { and, asc, between, count, countDistinct, desc, gt, isNotNull, lte, sql } from 'drizzle-orm'
import type { OutboxCount, Statistics, WrongTryRanking } from '../../application/statistics.ts'
import type { ClientNetwork } from '../../domain/client-network.ts'
import type { AuditEntry } from '../../domain/grant-change.ts'
import { PURCHASE_STATES, type PurchaseState } from '../../domain/purchase.ts'
import { toPurchaseCounts } from '../database/rows.ts'
import type { PostgresDatabase, Queries } from './connection/database.ts'
import { otpWrongTries, serviceMails } from './schema.ts'

const ENTRIES_AT_ONCE = 10_000

/** They take some ten milliseconds. All those of a large shop together take longer than a statement may. */
const PURCHASES_AT_ONCE = 50_000

type Slice = { readonly purchases: number; readonly last: string | null }

/** Of the state $1, some of those after the purchase $2, and the last one of them, from the index alone. */
const COUNT_SLICE = `
  SELECT count(*)::integer AS purchases, max(id) AS last FROM (
    SELECT id FROM purchases WHERE (state, id) > ($1, $2) AND state <= $1
    ORDER BY state, id LIMIT ${PURCHASES_AT_ONCE}
  ) AS slice`

export function postgresStatistics({ query, read, readTogether }: PostgresDatabase): Statistics {
  return {
    async countPurchases() {
      const counted: { state: PurchaseState; purchases: number }[] = []
      for (const state of PURCHASE_STATES) {
        let sum = 0
        for (let after: string | null = ''; after !== null; ) {
          const [slice]: readonly Slice[] = await query<Slice>(COUNT_SLICE, [state, after])
          sum += slice?.purchases ?? 0
          after = slice?.purchases === PURCHASES_AT_ONCE ? slice.last : null
        }
        counted.push({ state, purchases: sum })
      }
      return toPurchaseCounts(counted)
    },
    countOutbox: () =>
      query<OutboxCount>(
        `SELECT kind, 'waiting' AS state, count(*)::integer AS messages, min(created_at) AS "oldestAt"
          FROM outbox WHERE state = 'waiting' GROUP BY kind
        UNION ALL SELECT kind, 'given_up', count(*)::integer, min(created_at)
          FROM outbox WHERE state = 'given_up' GROUP BY kind`,
      ),
    rankWrongTries: (window) => readTogether((queries) => rankWrongTries(queries, window)),
    countServiceMails: ({ since, until }) =>
      read(async (queries) => {
        const { sentAt, isCustomer } = serviceMails
        const [row] = await queries
          .select({
            all: count(),
            strangers: sql<number>`count(*) FILTER (WHERE NOT ${isCustomer})`.mapWith(Number),
          })
          .from(serviceMails)
          .where(and(gt(sentAt, since), lte(sentAt, until)))
        return row ?? { all: 0, strangers: 0 }
      }),
    rankServiceMails: ({ since, until, top }) =>
      read((queries) => {
        const { network, sentAt } = serviceMails
        const mails = count()
        return queries
          .select({ network: sql<ClientNetwork>`${network}`, mails })
          .from(serviceMails)
          .where(and(gt(sentAt, since), lte(sentAt, until), isNotNull(network)))
          .groupBy(network)
          .orderBy(desc(mails), asc(network))
          .limit(top)
      }),
    async findLastGrantChange() {
      const [row] = await query<{ last: string | null }>(
        'SELECT max(id) AS last FROM audit_entries',
      )
      return Number(row?.last ?? 0)
    },
    // An id is taken before the commit. What commits after an entry that has a later id, and was counted between the
    // two commits, stays uncounted: to wait for it would cost every purchase more than the figure is worth.
    async countGrantChanges(after) {
      const rows = await query<
        Pick<AuditEntry, 'by' | 'reason' | 'isActive'> & { changes: number; last: string }
      >(
        `SELECT by_whom AS by, reason, is_active AS "isActive", count(*)::integer AS changes,
            max(id) AS last
          FROM (SELECT * FROM audit_entries WHERE id > $1 ORDER BY id LIMIT $2) AS entries
          GROUP BY by_whom, reason, is_active`,
        [after, ENTRIES_AT_ONCE],
      )
      const entries = rows.reduce((sum, { changes }) => sum + changes, 0)
      return {
        last: Math.max(after, ...rows.map(({ last }) => Number(last))),
        isAll: entries < ENTRIES_AT_ONCE,
        counts: rows.map(({ last, ...counted }) => counted),
      }
    },
    // They are on another machine, and PostgreSQL's own monitoring watches them.
    measureFiles: async () => null,
  }
}

async function rankWrongTries(
  queries: Queries,
  { from, until, top }: Parameters<Statistics['rankWrongTries']>[0],
): Promise<WrongTryRanking> {
  const { email, network, triedAt } = otpWrongTries
  const isInWindow = between(triedAt, from, until)
  const tries = count()
  const [[counts], topAddresses, topNetworks] = await Promise.all([
    queries
      .select({ tries, addresses: countDistinct(email), networks: countDistinct(network) })
      .from(otpWrongTries)
      .where(isInWindow),
    queries
      .select({ email, tries })
      .from(otpWrongTries)
      .where(isInWindow)
      .groupBy(email)
      .orderBy(desc(tries), asc(email))
      .limit(top),
    queries
      .select({ network: sql<ClientNetwork>`${network}`, tries })
      .from(otpWrongTries)
      .where(and(isInWindow, isNotNull(network)))
      .groupBy(network)
      .orderBy(desc(tries), asc(network))
      .limit(top),
  ])
  return { ...(counts ?? { tries: 0, addresses: 0, networks: 0 }), topAddresses, topNetworks }
}
