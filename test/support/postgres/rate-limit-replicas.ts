import { onTestFinished } from 'bun:test'
import { Pool } from 'pg'
import tables from '../../../infrastructure/postgres/migrations/0002_rate_limits.sql' with {
  type: 'text',
}
import taking from '../../../infrastructure/postgres/migrations/0004_take_rate_limits.sql' with {
  type: 'text',
}
import { pruneRateLimits, sharedRateLimits } from '../../../infrastructure/postgres/rate-limiter.ts'
import { freshDatabase } from './fresh-database.ts'
import { query } from './query.ts'

const NO_TIME_LIMIT = { leftMs: () => 60_000, end() {} }

const TEMPLATE = {
  name: 'template_rate_limits',
  prepare: (url: string) => query(url, tables + taking),
}

/** Replicas that share rate limits in a database of the test, whose clock the test may move. */
export async function openReplicas(count: number, options: { isClockMoved?: boolean } = {}) {
  const { url } = await freshDatabase({ template: TEMPLATE })
  let now = 1_700_000_000_000
  const nowMs = () => (options.isClockMoved ? now : null)
  const replicas = Array.from({ length: count }, () => {
    const database = openDatabase(url)
    return { database, ...sharedRateLimits({ database, beginUse: () => NO_TIME_LIMIT, nowMs }) }
  })
  const [{ database }] = replicas as [(typeof replicas)[number]]
  return {
    replicas,
    advance(milliseconds: number) {
      now += milliseconds
    },
    now: () => now,
    prune: async (looksMax = 1000) => pruneRateLimits(database, looksMax, nowMs()),
    /** The rows of one statement. */
    read: (text: string) => database.query<Record<string, unknown>>(text),
  }
}

function openDatabase(connectionString: string) {
  // Types of the driver do not know the option yet.
  const pool = new Pool({ connectionString, max: 4, ...{ pipeline: true } })
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  return {
    async query<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
      return (await pool.query(text, [...values])).rows
    },
  }
}
