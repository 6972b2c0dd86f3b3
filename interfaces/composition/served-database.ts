import type { Clock, Log, RateLimiter, Supervisor } from '../../application/ports.ts'
import type { Telemetry } from '../../application/telemetry.ts'
import type { Leadership } from '../../application/upkeep/leadership.ts'
import type { Replicas } from '../../application/upkeep/replicas.ts'
import type { ClockMeasurement } from '../../application/upkeep/watch-clock.ts'
import type { RateLimit } from '../../infrastructure/config/durations.ts'
import type { DatabaseStore } from '../../infrastructure/database/database-store.ts'
import type { PoolState } from '../../infrastructure/postgres/connection/connection-pool.ts'
import type { TakenRights } from '../../infrastructure/rights/effective-user.ts'
import type { Handler } from '../http/handler.ts'
import type { OwnBudget, RateLimitPolicy } from '../http/paths.ts'

/** What is there before the database is. */
export type Surroundings = {
  readonly log: Log
  readonly telemetry: Telemetry
  readonly supervisor: Supervisor
  readonly version: string
  readonly stopping: AbortSignal
}

/** The database that a service works with, and all that follows from its kind. */
export type ServedDatabase = {
  readonly store: DatabaseStore
  /** By which everything is judged that the database keeps. */
  readonly clock: Clock
  /** With which the process uses the files of the database. */
  readonly rights: TakenRights
  readonly leadership: Leadership
  /** Null where no other process can serve on the database. */
  readonly replicas: Replicas | null
  /** Null for an embedded database, which has no connections. */
  readonly poolState: (() => PoolState) | null
  /** Null where the machine's own clock counts. */
  readonly measureClock: (() => Promise<ClockMeasurement>) | null
  /** Deletes some rows of finished windows, and says whether there may be more. Null where limits are in memory. */
  readonly pruneRateLimits: (() => Promise<boolean>) | null
  limiter(budget: RateLimitPolicy | OwnBudget, limit: RateLimit): RateLimiter
  /** Has everything that a request asks of the database bounded together. */
  bounded(handler: Handler): Handler
  /** Throws where a restart may help. */
  checkLiveness(): Promise<void>
  close(): void
}
