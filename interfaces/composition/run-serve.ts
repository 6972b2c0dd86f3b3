import { reportFault } from '../../application/error-report.ts'
import { reasonOf } from '../../application/reason-of.ts'
import { type Config, ConfigError, loadConfigWith } from '../../infrastructure/config/config.ts'
import type { Migrated } from '../../infrastructure/sqlite/migration-backup.ts'
import { IncompatibleDatabase } from '../../infrastructure/sqlite/migrations.ts'
import { isDamage } from '../../infrastructure/sqlite/storage-outage.ts'
import { openSqliteStore } from '../../infrastructure/sqlite/store.ts'
import { isJournal } from '../../infrastructure/systemd/journal.ts'
import { createLog } from '../../infrastructure/telemetry/log.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { workInBackground } from '../background/background.ts'
import { serviceTasks } from '../background/tasks.ts'
import { giveSignsOfLife } from '../background/watchdog.ts'
import { serve } from '../cli/commands/serve.ts'
import { untilSignal } from '../cli/stop-signal.ts'
import { createHandler } from '../http/handler.ts'
import { type Listener, listen } from '../http/listen.ts'
import type { CommandContext } from './command-context.ts'
import { composeBackups, reportBackupFolder } from './compose-backups.ts'
import { contentComposer, logWarnings } from './compose-content.ts'
import { composeMetrics } from './compose-metrics.ts'
import { composeHttp, composePorts } from './compose-service.ts'
import { composeSoundness, composeSupervisor } from './compose-supervision.ts'
import { openDatabaseAt, publicUrlOf } from './open-store.ts'
import { wait } from './wait.ts'

const DAMAGED =
  'the database is damaged, and nothing is stored any more: stop the service and put a backup back with "alibi restore FILE"'

/** A large database is copied, checked and migrated before it is served. */
const OPENING_MAX_MS = 60 * 60_000

/** Serves on the settings around it until it is asked to stop. */
export async function runServe({ surroundings }: CommandContext): Promise<number> {
  const write = (text: string) => void process.stdout.write(text)
  const composeContent = await contentComposer()
  const { config, opened } = loadConfigWith(surroundings, (config, report) => {
    reportBackupFolder(config, report)
    return composeContent(config, report)
  })
  const { content, warnings } = opened
  const priorities = isJournal(process.stdout.fd, surroundings.env['JOURNAL_STREAM'])
  const { logLevel: level, logFormat: format } = config
  const uncounted = createLog({ level, format, priorities, write })
  const stopRequest = untilSignal('SIGTERM', 'SIGINT')
  // A log that nobody reads any more, or that a full disk cannot take, is no reason to stop serving.
  process.stdout.on('error', () => {})
  // First of all: whoever is started beside a running service by mistake leaves its database alone.
  const listener = listenAt(config)
  const metrics = await composeMetrics({ port: config.metricsPort, log: uncounted })
  const { log, telemetry } = metrics
  logWarnings(log, warnings)
  const supervisor = composeSupervisor({ surroundings, log })
  supervisor.starting('opens the database', { withinMs: OPENING_MAX_MS })
  const onDamaged = (error: unknown) => log.error(DAMAGED, reportFault(error))
  // That a new database was made goes without saying.
  const onMigrated = ({ applied, copy }: Migrated) => {
    if (copy !== null) log.info('migrated the database', { applied: applied.join(' '), copy })
  }
  const store = openUsableDatabase(config.database.path, (path) =>
    openSqliteStore(path, { onDamaged, onMigrated }),
  )
  const backups = composeBackups({ config, log })
  return serve({
    listener,
    async compose(url) {
      const publicUrl = publicUrlOf(config, url)
      const { stopping } = stopRequest
      const parts = { config, store, log, content, url, publicUrl, write, telemetry }
      const { ports, desk, stop } = await composePorts(parts)
      const { version } = packageJson
      const options = await composeHttp(parts, { ports, desk, version, stopping })
      await metrics.serve({ ports, isReady: options.isReady, backups, version })
      const { isReady } = options
      const { tokenLifetimeMs } = config
      const tasks = serviceTasks({ ports, tokenLifetimeMs, backups, isReady, wait })
      return {
        handler: createHandler(options),
        publicUrl,
        version,
        async work() {
          const checkSoundness = composeSoundness(store)
          await Promise.all([
            workInBackground({ ports, tasks, wait, stopping }),
            giveSignsOfLife({ supervisor, checkSoundness, log, wait, stopping }),
          ])
        },
        close() {
          metrics.stop()
          stop()
          store.close()
        },
      }
    },
    log,
    supervisor,
    stopRequested: stopRequest.requested,
    wait,
  })
}

/** A database that stays unusable until somebody acts is a wrong setting: a service manager need not try it again. */
function openUsableDatabase<Opened>(path: string, open: (path: string) => Opened): Opened {
  try {
    return openDatabaseAt(path, open)
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null
    const staysUnusable = cause instanceof IncompatibleDatabase || isDamage(cause)
    throw staysUnusable ? new ConfigError([reasonOf(error)]) : error
  }
}

/** An operator has to be told which settings say where it listens. */
function listenAt({ host, port }: Config): Listener {
  try {
    return listen({ host, port })
  } catch (error) {
    throw new Error(`HOST, PORT: ${host} port ${port} cannot be listened on`, { cause: error })
  }
}
