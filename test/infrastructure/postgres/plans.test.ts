import { describe, expect, test } from 'bun:test'
import type { PoolConfig } from 'pg'
import { HOUR_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { TABLES } from '../../../infrastructure/doctor/postgres.ts'
import { checkWaitingWork } from '../../../infrastructure/doctor/waiting-work.ts'
import {
  openPostgres,
  type PostgresDatabase,
} from '../../../infrastructure/postgres/connection/database.ts'
import { isLeaseHeld, postgresLease } from '../../../infrastructure/postgres/leases.ts'
import { pruneRateLimits, sharedRateLimits } from '../../../infrastructure/postgres/rate-limiter.ts'
import { findLiveReplicas, postgresReplicas } from '../../../infrastructure/postgres/replicas.ts'
import { postgresStore } from '../../../infrastructure/postgres/store.ts'
import { NO_TELEMETRY } from '../../../infrastructure/telemetry/instrumented.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import {
  type ExplainedPlan,
  explainedConnections,
  explainStatements,
} from '../../support/postgres/explained-plans.ts'
import { openFreshDatabase } from '../../support/postgres/fresh-database.ts'
import { GROWING, LARGE } from '../../support/stores/large-database.ts'
import { testBudget } from '../../support/stores/postgres-store.ts'
import { useEverything } from '../../support/stores/whole-use.ts'

/** Tables of one row, of a row for each replica, or of rows that are there from the beginning. */
const SMALL = [
  'common_log_out',
  'heartbeat',
  'leases',
  'locks',
  'log_out_epoch',
  'migration_lock',
  'replicas',
  'schema_migrations',
  'sweeps',
]

/** The addresses that share a round trip are 256, each with two digests, which are looked up. */
const ROWS_MAX = 1100

/** Parts of the statements that have to look at every row there is. */
const WHOLE = [
  // An operator asks, who has no key of the mailboxes' digests.
  '"otp_mails"."mailbox" is not null',
]

/** The same, but from an index alone, and in slices. */
const WHOLE_INDEX = ['count(*)::integer AS purchases']

const monotonicMs = () => performance.now()

if (hasPostgres()) {
  describe('every statement reads no more rows than it needs', () => {
    test.each([
      ['planned for its values', 'force_custom_plan'],
      ['planned for any values', 'force_generic_plan'],
    ] as const)('%s', async (_, mode) => {
      const { plans, calls } = await explainEverything(mode)
      expect(calls.made).toEqual(calls.known)
      const read = new Set(plans.flatMap(({ nodes }) => nodes.flatMap(({ table }) => table ?? [])))
      expect(GROWING.filter((table) => !read.has(table))).toEqual([])
      expect(plans.flatMap(excessesOf)).toEqual([])
    })
  })

  test('every table is one that grows, or a small one', () => {
    expect([...new Set([...TABLES, ...SMALL, ...GROWING])].toSorted()).toEqual(
      [...SMALL, ...GROWING].toSorted(),
    )
  })
}

async function explainEverything(mode: Parameters<typeof explainStatements>[1]) {
  await using fresh = await openFreshDatabase({ template: LARGE })
  await explainStatements(fresh.superuserUrl, mode)
  const { plans, ExplainedClient } = explainedConnections()
  const database = openPostgres({
    connection: { connectionString: fresh.url, Client: ExplainedClient } as PoolConfig,
    poolMax: 3,
    timeoutMs: PATIENCE_MS,
    budget: testBudget(),
    telemetry: NO_TELEMETRY,
    monotonicMs,
  })
  const watched = watchCalls(postgresStore(database, { budget: testBudget() }))
  await useEverything(watched.store)
  await useReplicas(database)
  const { purchases } = watched.store
  await checkWaitingWork({ query: database.query, purchases, now: new Date() })
  database.close()
  return { plans, calls: watched.calls() }
}

/** A store that knows which of its methods were called, and which there are. */
function watchCalls(store: DatabaseStore) {
  const known: string[] = []
  const made = new Set<string>()
  const { close: _, ...repositories } = store
  const watched = Object.entries(repositories).map(([name, repository]) => {
    const methods = Object.entries(repository).map(([method, call]) => {
      known.push(`${name}.${method}`)
      const called = (...values: readonly unknown[]) => {
        made.add(`${name}.${method}`)
        return (call as (...values: readonly unknown[]) => unknown)(...values)
      }
      return [method, called]
    })
    return [name, Object.fromEntries(methods)]
  })
  return {
    store: Object.fromEntries(watched) as DatabaseStore,
    calls: () => ({ known: known.toSorted(), made: [...made].toSorted() }),
  }
}

/** What the replicas share beside the store. */
async function useReplicas(database: PostgresDatabase): Promise<void> {
  const { limiter } = sharedRateLimits({ database, budget: testBudget() })
  for (const limit of [2, 1000]) {
    const limited = limiter({ name: 'auth', limit, windowMs: HOUR_MS })
    for (let request = 0; request < 3; request++) {
      await limited.take({ kind: 'client', address: '192.0.2.1' })
      await limited.take({ kind: 'address', email: 'anna@example.com' as Email })
    }
  }
  await pruneRateLimits(database, 20)
  const id = crypto.randomUUID()
  const lease = postgresLease(database, { holder: id })
  await lease.take()
  await isLeaseHeld(database)
  await lease.giveBack()
  const replicas = postgresReplicas(database, { id, version: '1.0.0', monotonicMs })
  await replicas.signOfLife()
  await findLiveReplicas(database)
  await replicas.leave()
}

/** The steps of a plan that read a whole table that grows, or too many rows of whatever. */
function excessesOf({ text, nodes }: ExplainedPlan): readonly string[] {
  if (WHOLE.some((part) => text.includes(part))) return []
  const isWholeIndex = WHOLE_INDEX.some((part) => text.includes(part))
  const excesses = nodes.filter(({ kind, table, rowsRead }) => {
    if (isWholeIndex) return table !== null && kind !== 'Index Only Scan'
    const isWholeTable = kind === 'Seq Scan' && table !== null && GROWING.includes(table)
    return isWholeTable || rowsRead > ROWS_MAX
  })
  return excesses.map(
    ({ kind, table, rowsRead }) => `${kind} of ${table}, ${rowsRead} rows: ${text.slice(0, 500)}`,
  )
}
