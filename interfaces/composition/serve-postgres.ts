import { leaseLeadership } from '../../application/upkeep/lease-leadership.ts'
import type { Replicas } from '../../application/upkeep/replicas.ts'
import { HOUR_MS, SECOND_MS } from '../../domain/duration.ts'
import type { PostgresConfig } from '../../infrastructure/config/database-settings.ts'
import type { PostgresDatabase } from '../../infrastructure/postgres/connection/database.ts'
import { isLockedRow } from '../../infrastructure/postgres/connection/outage.ts'
import { postgresLease } from '../../infrastructure/postgres/leases.ts'
import { LOCK_OUT_MIGRATIONS, MIGRATIONS } from '../../infrastructure/postgres/migrations.ts'
import { openPostgresDatabase } from '../../infrastructure/postgres/open.ts'
import { pruneRateLimits, sharedRateLimits } from '../../infrastructure/postgres/rate-limiter.ts'
import { postgresReplicas } from '../../infrastructure/postgres/replicas.ts'
import { postgresStore } from '../../infrastructure/postgres/store.ts'
import { CALLERS_RIGHTS } from '../../infrastructure/rights/effective-user.ts'
import { monotonicMs, systemClock, wait } from '../../infrastructure/system-clock.ts'
import type { ServedDatabase, Surroundings } from './served-database.ts'

/** For a migration that another replica is carrying out, too. */
const OPENING_MAX_MS = HOUR_MS
const RATE_LIMITS_AT_ONCE = 1000

const ENTER_RETRY_MS = SECOND_MS

/**
 * Waits until nobody copies the database, which takes as long as it takes. What copies it looks for signs of life once
 * it has the lock, so that a new sign has to stand there when the wait is over.
 */
async function enterService(
  { query }: Pick<PostgresDatabase, 'query'>,
  replicas: Replicas,
  stopping: AbortSignal,
): Promise<void> {
  for (;;) {
    await replicas.signOfLife()
    try {
      await query(LOCK_OUT_MIGRATIONS)
      return
    } catch (error) {
      if (!isLockedRow(error)) throw error
    }
    await wait(ENTER_RETRY_MS, stopping)
    if (stopping.aborted) {
      await replicas.leave()
      throw new Error('it was asked to stop while the database was being copied')
    }
  }
}

/** Serves from a PostgreSQL, on which other replicas serve, too. */
export async function servePostgres(
  config: PostgresConfig,
  { log, telemetry, supervisor, version, stopping }: Surroundings,
): Promise<ServedDatabase> {
  supervisor.starting('connects to the database', { withinMs: OPENING_MAX_MS })
  const replica = { id: crypto.randomUUID(), version, monotonicMs }
  const { database, budget, time, applied } = await openPostgresDatabase(config, {
    isUpToDate: false,
    telemetry,
    monotonicMs,
    machine: systemClock(),
  })
  // A new database needs no line in the log.
  const wasThere = !applied.some((name) => name === MIGRATIONS[0]?.name)
  if (applied.length > 0 && wasThere)
    log('database.migrated', { applied: applied.join(' '), copy: null })
  const store = postgresStore(database, { budget })
  const replicas = postgresReplicas(database, replica)
  await enterService(database, replicas, stopping)
  const lease = postgresLease(database, { holder: replica.id })
  const rateLimits = sharedRateLimits({ database, budget })
  return {
    store,
    clock: time.clock,
    rights: CALLERS_RIGHTS,
    leadership: leaseLeadership({ log, telemetry }, { lease, monotonicMs, wait }),
    replicas,
    poolState: database.poolState,
    measureClock: time.measure,
    pruneRateLimits: () => pruneRateLimits(database, RATE_LIMITS_AT_ONCE),
    limiter: (name, limit) => rateLimits.limiter({ name, ...limit }),
    bounded:
      (handler) =>
      (...request) =>
        budget.forRequest(() => handler(...request)),
    // A restart mends no database.
    checkLiveness: async () => {},
    close: store.close,
  }
}
