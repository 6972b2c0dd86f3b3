import { reasonOf, reportFault } from '../../application/error-report.ts'
import type { Log, Supervisor } from '../../application/ports.ts'
import type { DatabaseHealth } from '../../application/store.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { ALWAYS_LEADING } from '../../application/upkeep/leadership.ts'
import { HOUR_MS } from '../../domain/duration.ts'
import { ConfigError } from '../../infrastructure/config/config.ts'
import type { DatabaseStore } from '../../infrastructure/database/database-store.ts'
import { IncompatibleDatabase } from '../../infrastructure/database/outage.ts'
import { slidingWindowLimiter } from '../../infrastructure/rate-limit/sliding-window-limiter.ts'
import { takeOwnersRights } from '../../infrastructure/rights/state-folder.ts'
import { DatabaseFilesReplaced } from '../../infrastructure/sqlite/files.ts'
import type { Migrated } from '../../infrastructure/sqlite/migration-backup.ts'
import { tryServingLock } from '../../infrastructure/sqlite/serving-lock.ts'
import type { ServingLock } from '../../infrastructure/sqlite/serving-lock-file.ts'
import { isBusy, isDamage } from '../../infrastructure/sqlite/storage-outage.ts'
import { openSqliteStore } from '../../infrastructure/sqlite/store.ts'
import { monotonicMs, systemClock, wait } from '../../infrastructure/system-clock.ts'
import { openDatabaseAt } from './open-store.ts'
import type { ServedDatabase, Surroundings } from './served-database.ts'

/** A large database is copied, checked and migrated before it is served. */
const OPENING_MAX_MS = HOUR_MS
/** A service that is asked to stop while its successor starts may still have answers under way. */
const SERVED_WAIT_MAX_MS = 5000
const SERVED_RETRY_MS = 50

/** Serves from a file. No other process does meanwhile, so that limits and leadership need none. */
export async function serveSqlite(
  path: string,
  { log, supervisor }: Pick<Surroundings, 'log' | 'supervisor'>,
): Promise<ServedDatabase> {
  const rights = takeOwnersRights(path)
  const { store, lock } = await openServedDatabase(path, { log, supervisor })
  const [first = 0, second = 0] = crypto.getRandomValues(new Uint32Array(2))
  const seeds = [first, second] as const
  return {
    store,
    clock: systemClock(),
    rights,
    leadership: ALWAYS_LEADING,
    replicas: null,
    poolState: null,
    measureClock: null,
    pruneRateLimits: null,
    limiter: (_, limit) => slidingWindowLimiter({ ...limit, monotonicMs, seeds }),
    bounded: (handler) => handler,
    checkLiveness: livenessCheck(store),
    close() {
      store.close()
      lock.release()
    },
  }
}

// Why: docs/decisions.md#one-service-at-a-time-has-the-database
/** The database, which no other service has meanwhile. */
async function openServedDatabase(
  path: string,
  { log, supervisor }: Pick<Surroundings, 'log' | 'supervisor'>,
): Promise<{ readonly store: DatabaseStore; readonly lock: ServingLock }> {
  const lock = await takeServingLock(path, supervisor)
  supervisor.starting('opens the database', { withinMs: OPENING_MAX_MS })
  const store = openUsableDatabase(path, { log, lock })
  if (lock.isInPlace()) return { store, lock }
  // A restore has replaced the file while SQLite waited for it.
  lock.release()
  const another = tryServingLock(path)
  if (!another) throw servedByAnother(path)
  return { store, lock: another }
}

/**
 * Waits for another service on the same database to end, and throws where it does not in time. Meanwhile requests are
 * answered by 503.
 */
async function takeServingLock(path: string, supervisor: Supervisor): Promise<ServingLock> {
  for (let waitedMs = 0; ; waitedMs += SERVED_RETRY_MS) {
    const lock = openDatabaseAt(path, tryServingLock)
    if (lock) return lock
    if (waitedMs >= SERVED_WAIT_MAX_MS) throw servedByAnother(path)
    if (waitedMs === 0) {
      supervisor.starting('waits until another service has let go of the database', {
        withinMs: OPENING_MAX_MS,
      })
    }
    await wait(SERVED_RETRY_MS)
  }
}

function servedByAnother(path: string): Error {
  return new Error(
    `the database ${path} is served by another process: only one service at a time may use it`,
  )
}

/**
 * A database that stays unusable until an operator acts is a wrong setting: a service manager need not try it again.
 */
function openUsableDatabase(
  path: string,
  { log, lock }: { log: Log; lock: ServingLock },
): DatabaseStore {
  const onDamaged = (error: unknown) => log('database.damaged', reportFault(error))
  // A new database needs no line in the log.
  const onMigrated = ({ applied, copy }: Migrated) => {
    if (copy !== null) log('database.migrated', { applied: applied.join(' '), copy })
  }
  try {
    return openDatabaseAt(path, (path) => openSqliteStore(path, { onDamaged, onMigrated }))
  } catch (error) {
    lock.release()
    const cause = error instanceof Error ? error.cause : null
    const staysUnusable = cause instanceof IncompatibleDatabase || isDamage(cause)
    throw staysUnusable ? new ConfigError([reasonOf(error)]) : error
  }
}

/**
 * Throws where a restart may help. It does not throw where another process blocks the database. Nor does it where the
 * files were removed: this process has their last copy open, and the next process would begin with an empty database.
 */
export function livenessCheck({ databaseHealth }: { databaseHealth: DatabaseHealth }) {
  return async (): Promise<void> => {
    try {
      await databaseHealth.check()
    } catch (error) {
      const cause = error instanceof Unavailable ? error.cause : error
      if (cause instanceof DatabaseFilesReplaced || isBusy(cause)) return
      throw error
    }
  }
}
