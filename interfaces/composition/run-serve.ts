import { logFailure } from '../../application/error-report.ts'
import {
  type Config,
  type Environment,
  loadConfigWith,
} from '../../infrastructure/config/config.ts'
import { monotonicMs, SYSTEM_PAUSES, systemClock, wait } from '../../infrastructure/system-clock.ts'
import { isJournal } from '../../infrastructure/systemd/journal.ts'
import { openNotifyProgram } from '../../infrastructure/systemd/notify-program.ts'
import { openNotifySocket } from '../../infrastructure/systemd/notify-socket.ts'
import { systemdSupervisor } from '../../infrastructure/systemd/systemd-supervisor.ts'
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
import { publicUrlOf } from './open-store.ts'
import type { ServedDatabase, Surroundings } from './served-database.ts'

/** Whoever has waited for the start is answered before the service turns to work of its own. */
const FIRST_REQUESTS_MS = 250

/**
 * Puts the service together on the settings around it. The address is bound before anything else is opened: a service
 * that is started beside a running one by mistake leaves its database alone.
 */
export async function openService(
  environment: Environment,
  { version }: { version: string },
): Promise<Service> {
  const { config, opened: content } = loadSettings(environment)
  const priorities = isJournal(STANDARD_OUTPUT, environment.env['JOURNAL_STREAM'])
  const { logLevel: level, logFormat: format } = config
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
  const ways = [openNotifySocket, openNotifyProgram]
  const supervisor = systemdSupervisor({ env: environment.env, pid: process.pid, log, ways })
  const around = { log, telemetry, supervisor, version, stopping }
  const database = await openServedDatabase(config, around)

  const { url } = listener
  const publicUrl = publicUrlOf(config, url)
  const { leadership, replicas, poolState, rights } = database
  const parts = { config, ...database, log, content, url, publicUrl, write, telemetry }
  const { ports, sandboxCheckout, stop } = await composePorts(parts)
  const options = composeHttp(parts, { ports, sandboxCheckout, version, stopping })
  const { isReady } = options
  const backups = composeBackups({ config, log, rights })
  await metrics.serve({ ports, isReady, backups, leadership, replicas, poolState, version })
  const app = lateApp(options)
  const tasks = serviceTasks({
    ports,
    backups,
    replicas,
    measureClock: database.measureClock,
    pruneRateLimits: database.pruneRateLimits,
    isReady,
    loadRoutes: async () => app(),
    monotonicMs,
    wait,
  })
  const { checkLiveness } = database
  return {
    listener,
    handler: database.bounded(createHandler(options, app)),
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
    async leave() {
      try {
        await replicas?.leave()
      } catch (error) {
        // The others learn from the lack of its signs that it is gone.
        logFailure(ports, error, 'task.failed', { task: 'sign_of_life' })
      }
    },
    close() {
      metrics.stop()
      stop()
      database.close()
      flushTallies()
    },
  }
}

/** Throws `ConfigError` with every problem of the settings, and of the files and folders that they name. */
function loadSettings(environment: Environment) {
  return loadConfigWith(environment, (config, report) => {
    const content = composeContent(config, report)
    reportBackupFolder(config, report)
    return content
  })
}

/** What only one kind of database needs is loaded with it. */
async function openServedDatabase(
  { database }: Config,
  around: Surroundings,
): Promise<ServedDatabase> {
  if (database.kind === 'sqlite') {
    const { serveSqlite } = await import('./serve-sqlite.ts')
    return serveSqlite(database.path, around)
  }
  const { servePostgres } = await import('./serve-postgres.ts')
  return servePostgres(database, around)
}

/** The error has to name the settings for where it listens. */
function listenAt({ host, port }: Config): Listener {
  try {
    return listen({ host, port })
  } catch (error) {
    throw new Error(`HOST, PORT: ${host} port ${port} cannot be listened on`, { cause: error })
  }
}
