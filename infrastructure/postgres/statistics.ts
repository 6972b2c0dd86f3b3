import { and, asc, between, count, countDistinct, desc, gt, isNotNull, lte, sql } from 'drizzle-orm'
import type { Statistics, WrongTryRanking } from '../../application/statistics.ts'
import type { ClientNetwork } from '../../domain/client-network.ts'
import type { Actor, GrantChangeReason } from '../../domain/grant-change.ts'
import type { OutboxKind } from '../../domain/outbox.ts'
import type { PurchaseState } from '../../domain/purchase.ts'
import { toPurchaseCounts } from '../database/rows.ts'
import type { PostgresDatabase, Queries } from './connection/database.ts'
import { otpWrongTries, serviceMails } from './schema.ts'

const ENTRIES_AT_ONCE = 10_000

export function postgresStatistics({ query, read, readTogether }: PostgresDatabase): Statistics {
  return {
    async countPurchases() {
      return toPurchaseCounts(
        await query<{ state: PurchaseState; purchases: number }>(
          'SELECT state, count(*)::integer AS purchases FROM purchases GROUP BY state',
        ),
      )
    },
    countOutbox: () =>
      query<{
        kind: OutboxKind
        state: 'waiting' | 'given_up'
        messages: number
        oldestAt: Date
      }>(
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
    async findLastGrantChange() {
      const [row] = await query<{ last: string | null }>(
        'SELECT max(id) AS last FROM audit_entries',
      )
      return Number(row?.last ?? 0)
    },
    async countGrantChanges(after) {
      const rows = await query<{
        by: Actor
        reason: GrantChangeReason
        isActive: boolean
        changes: number
        last: string
      }>(
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
