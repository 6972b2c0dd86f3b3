import { existsSync } from 'node:fs'
import type { Clock, Ports } from '../../application/ports.ts'
import {
  type Config,
  type Environment,
  loadConfig,
  loadDatabaseConfig,
} from '../../infrastructure/config/config.ts'
import type { DatabaseConfig } from '../../infrastructure/config/database-settings.ts'
import type { DatabaseStore } from '../../infrastructure/database/database-store.ts'
import { IncompatibleDatabase } from '../../infrastructure/database/outage.ts'
import { takeOwnersRights } from '../../infrastructure/rights/state-folder.ts'
import { isDamage } from '../../infrastructure/sqlite/storage-outage.ts'
import { monotonicMs, systemClock } from '../../infrastructure/system-clock.ts'
import type { CommandContext, StorePorts } from '../cli/command-context.ts'

/** For the operator's commands that only look into the database, or write to it. */
export async function withStore(
  environment: Environment,
  work: (ports: StorePorts) => Promise<number>,
): Promise<number> {
  const { newGrantId } = await import('../../infrastructure/secrets/hmac-secrets.ts')
  const { store, clock } = await openStore(loadDatabaseConfig(environment))
  try {
    return await work({ ...store, clock, secrets: { newGrantId } })
  } finally {
    store.close()
  }
}

/**
 * For the operator's commands that ask the payment provider. They log to where their errors go. They send nothing to
 * buyers, so that a fault in the operator's own content does not stop them.
 */
export async function withPorts(
  { environment, progress }: { environment: Environment; progress: CommandContext['progress'] },
  work: (ports: Ports) => Promise<number>,
): Promise<number> {
  const config = loadConfig(environment)
  const { builtInContent } = await import('../../infrastructure/content/content.ts')
  const { createLog } = await import('../../infrastructure/telemetry/log.ts')
  const { composePorts } = await import('./compose-service.ts')
  function write(text: string) {
    progress(null)
    process.stderr.write(text)
  }
  const { logLevel: level, logFormat: format } = config
  const log = createLog({ level, format, clock: systemClock(), write })
  const { store, clock } = await openStore(config.database)
  const url = `http://localhost:${config.port}`
  const publicUrl = publicUrlOf(config, url)
  const content = builtInContent()
  const parts = { config, store, clock, log, content, url, publicUrl, write }
  const { ports, stop } = await composePorts(parts)
  try {
    return await work(ports)
  } finally {
    stop()
    store.close()
  }
}

/** A database that is there and up to date, and the clock that goes with it. */
async function openStore(
  config: DatabaseConfig,
): Promise<{ readonly store: DatabaseStore; readonly clock: Clock }> {
  const machine = systemClock()
  if (config.kind === 'sqlite') {
    const { openCurrentSqliteStore } = await import('../../infrastructure/sqlite/store.ts')
    takeOwnersRights(config.path)
    const store = openDatabaseAt(existing(config.path), openCurrentSqliteStore)
    return { store, clock: machine }
  }
  const { openPostgresStore } = await import('../../infrastructure/postgres/open.ts')
  const { store, time } = await openPostgresStore(config, { monotonicMs, machine })
  return { store, clock: time.clock }
}

/** An empty database in the wrong place would have nothing but wrong answers. */
export function existing(path: string): string {
  if (existsSync(path)) return path
  throw new Error(
    `there is no database at ${path}: look at DATABASE_URL, or name the settings file by --env-file`,
  )
}

const DAMAGED = 'it is damaged, so put a backup back with "alibi restore FILE"'

/** An operator has to know which database does not open, and what may help. */
export function openDatabaseAt<Opened>(path: string, open: (path: string) => Opened): Opened {
  try {
    return open(path)
  } catch (error) {
    throw new Error(`the database ${path} cannot be opened${advice(error)}`, { cause: error })
  }
}

/** The error of a database of another release itself says what to do. */
function advice(error: unknown): string {
  if (error instanceof IncompatibleDatabase) return ''
  return isDamage(error)
    ? `: ${DAMAGED}`
    : ': look at DATABASE_URL, and at whether this user may open it'
}

/** In development it follows from where the service listens. */
export function publicUrlOf({ publicUrl }: Pick<Config, 'publicUrl'>, url: string): string {
  return publicUrl ?? `http://localhost:${new URL(url).port}`
}
