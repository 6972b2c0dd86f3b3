import { reasonOf, reportFault } from '../../application/error-report.ts'
import type { Content, Log, Supervisor } from '../../application/ports.ts'
import { ALWAYS_LEADING } from '../../application/upkeep/leadership.ts'
import { HOUR_MS } from '../../domain/duration.ts'
import {
  type Config,
  ConfigError,
  type Environment,
  loadConfigWith,
} from '../../infrastructure/config/config.ts'
import { sqlitePathOf } from '../../infrastructure/config/sqlite-path.ts'
import type { DatabaseStore } from '../../infrastructure/database/database-store.ts'
import { IncompatibleDatabase } from '../../infrastructure/database/outage.ts'
import { takeOwnersRights } from '../../infrastructure/rights/state-folder.ts'
import type { Migrated } from '../../infrastructure/sqlite/migration-backup.ts'
import { type ServingLock, tryServingLock } from '../../infrastructure/sqlite/serving-lock.ts'
import { isDamage } from '../../infrastructure/sqlite/storage-outage.ts'
import { openSqliteStore } from '../../infrastructure/sqlite/store.ts'
import { SYSTEM_PAUSES, systemClock } from '../../infrastructure/system-clock.ts'
import { isJournal } from '../../infrastructure/systemd/journal.ts'
import { lineWriter } from '../../infrastructure/telemetry/line-writer.ts'
import { createLog } from '../../infrastructure/telemetry/log.ts'
import { STANDARD_OUTPUT, standardOutput } from '../../infrastructure/telemetry/standard-output.ts'
import { talliedLog } from '../../infrastructure/telemetry/tallied-log.ts'
import { workInBackground } from '../background/background.ts'
import { serviceTasks } from '../background/tasks.ts'
import { runWatchdog } from '../background/watchdog.ts'
import type { Service } from '../cli/command-context.ts'
import { untilSignal } from '../cli/stop-signal.ts'
import { createHandler, lateApp } from '../http/handler.ts'
import { type Listener, listen } from '../http/listen.ts'
import { composeBackups, reportBackupFolder } from './compose-backups.ts'
import { composeContent } from './compose-content.ts'
import { composeMetrics } from './compose-metrics.ts'
import { composeHttp, composePorts } from './compose-service.ts'
import { composeSupervisor, livenessCheck } from './compose-supervision.ts'
import { openDatabaseAt, publicUrlOf } from './open-store.ts'
import { wait } from './wait.ts'

/** Whoever has waited for the start is answered before the service turns to work of its own. */
const FIRST_REQUESTS_MS = 250

/** A large database is copied, checked and migrated before it is served. */
const OPENING_MAX_MS = HOUR_MS
/** A service that is asked to stop while its successor starts may still have answers under way. */
const SERVED_WAIT_MAX_MS = 5000
const SERVED_RETRY_MS = 50

/**
 * Puts the service together on the settings around it. The address is bound before anything else is opened: a service
 * that is started beside a running one by mistake leaves its database alone.
 */
export async function openService(
  environment: Environment,
  { version }: { version: string },
): Promise<Service> {
  const { config, content } = loadSettings(environment)
  const priorities = isJournal(STANDARD_OUTPUT, environment.env['JOURNAL_STREAM'])
  const { logLevel: level, logFormat: format, tokenLifetimeMs } = config
  const { write, flush, end } = lineWriter(standardOutput(), {
    onLost: (lost) => logOfLosses('log.failed', lost),
    pauses: SYSTEM_PAUSES,
  })
  const clock = systemClock()
  const uncounted = createLog({ level, format, priorities, clock, write, flush })
  let logOfLosses = uncounted
  process.on('exit', end)
  const { requested: stopRequested, stopping } = untilSignal('SIGTERM', 'SIGINT')
  const listener = listenAt(config)
  const metrics = await composeMetrics({ port: config.metricsPort, log: uncounted })
  logOfLosses = metrics.log
  const { telemetry } = metrics
  const { log, flush: flushTallies } = talliedLog(metrics.log, { wait })
  const supervisor = composeSupervisor({ environment, log })
  const databasePath = sqlitePathOf(config.database)
  const rights = takeOwnersRights(databasePath)
  const { store, lock } = await openServedDatabase(databasePath, { log, supervisor })

  const { url } = listener
  const publicUrl = publicUrlOf(config, url)
  const parts = { config, store, log, content, url, publicUrl, write, telemetry }
  const { ports, sandboxCheckout, stop } = await composePorts(parts)
  const options = composeHttp(parts, { ports, sandboxCheckout, version, stopping })
  const { isReady, monotonicMs } = options
  const backups = composeBackups({ config, log, rights })
  // The lock on the database's file sees to it.
  const leadership = ALWAYS_LEADING
  const replicas = null
  await metrics.serve({ ports, isReady, backups, leadership, replicas, version })
  const app = lateApp(options)
  const tasks = serviceTasks({
    ports,
    tokenLifetimeMs,
    backups,
    replicas,
    isReady,
    loadRoutes: async () => app(),
    monotonicMs,
    wait,
  })
  const checkLiveness = livenessCheck(store)
  return {
    listener,
    handler: createHandler(options, app),
    publicUrl,
    version,
    log,
    supervisor,
    stopRequested,
    async work() {
      await Promise.all([
        workInBackground({
          ports,
          tasks,
          leadership,
          startAfterMs: FIRST_REQUESTS_MS,
          monotonicMs,
          wait,
          stopping,
        }),
        runWatchdog({ supervisor, checkLiveness, log, wait, stopping }),
      ])
    },
    async leave() {},
    close() {
      metrics.stop()
      stop()
      store.close()
      lock.release()
      flushTallies()
    },
  }
}

/** Throws `ConfigError` with every problem of the settings, and of the files and folders that they name. */
function loadSettings(environment: Environment): {
  readonly config: Config
  readonly content: Content
} {
  const { config, opened: content } = loadConfigWith(environment, (config, report) => {
    const content = composeContent(config, report)
    reportBackupFolder(config, report)
    return content
  })
  return { config, content }
}

// Why: docs/decisions.md#one-service-at-a-time-has-the-database
/** The database, which no other service has meanwhile. */
async function openServedDatabase(
  path: string,
  { log, supervisor }: { log: Log; supervisor: Supervisor },
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

/** The error has to name the settings for where it listens. */
function listenAt({ host, port }: Config): Listener {
  try {
    return listen({ host, port })
  } catch (error) {
    throw new Error(`HOST, PORT: ${host} port ${port} cannot be listened on`, { cause: error })
  }
}
