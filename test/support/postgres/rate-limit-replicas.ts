import { onTestFinished } from 'bun:test'
import { openPostgres } from '../../../infrastructure/postgres/connection/database.ts'
import { timeBudget } from '../../../infrastructure/postgres/connection/time-budget.ts'
import tables from '../../../infrastructure/postgres/migrations/0002_rate_limits.sql' with {
  type: 'text',
}
import taking from '../../../infrastructure/postgres/migrations/0004_take_rate_limits.sql' with {
  type: 'text',
}
import { pruneRateLimits, sharedRateLimits } from '../../../infrastructure/postgres/rate-limiter.ts'
import { NO_TELEMETRY } from '../../../infrastructure/telemetry/instrumented.ts'
import { PATIENCE_MS } from '../patience.ts'
import { freshDatabase } from './fresh-database.ts'
import { query } from './query.ts'

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
    const { database, budget } = openDatabase(url)
    return { database, ...sharedRateLimits({ database, budget, nowMs }) }
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
  const budget = timeBudget({ limitMs: PATIENCE_MS, monotonicMs: () => performance.now() })
  const database = openPostgres({
    connection: { connectionString },
    poolMax: 4,
    timeoutMs: PATIENCE_MS,
    budget,
    telemetry: NO_TELEMETRY,
    monotonicMs: () => performance.now(),
  })
  onTestFinished(() => database.close())
  return { database, budget }
}
