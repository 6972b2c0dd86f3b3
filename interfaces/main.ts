import { existsSync, readFileSync } from 'node:fs'
import type { Ports } from '../application/ports.ts'
import type { Store } from '../application/store.ts'
import {
  type Config,
  ConfigError,
  loadConfig,
  loadConfigWith,
  loadDatabaseConfig,
  loadListenAddress,
} from '../infrastructure/config.ts'
import { withEnvFile } from '../infrastructure/env-file.ts'
import packageJson from '../package.json' with { type: 'json' }
import { parseCommandLine } from './cli/commands.ts'
import { EXIT } from './cli/exit-codes.ts'
import { help, refuseUsage } from './cli/help.ts'
import { version } from './cli/version.ts'
import { wait } from './composition/wait.ts'

// The composition root: settings in, adapters wired, command run. What only one command needs is imported by that
// command, so that the small ones start in a few milliseconds.

type Surroundings = Parameters<typeof loadConfig>[0]

const writeOut = (text: string) => void process.stdout.write(text)
const print = (text: string) => writeOut(`${text}\n`)
const complain = (text: string) => void process.stderr.write(`${text}\n`)
const readFile = (path: string) => readFileSync(path, 'utf8')

const exitCode = await main(process.argv.slice(2))
// What failed may have left something open (a listener, an answer under way) that would keep the process alive.
if (exitCode !== EXIT.done) process.exit(exitCode)

async function main(argv: readonly string[]): Promise<number> {
  try {
    return await run(argv)
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const problem of error.problems) complain(`alibi: ${problem}`)
      return EXIT.wrongSettings
    }
    complain(`alibi: ${reasonOf(error)}`)
    return EXIT.failed
  }
}

/** What went wrong and what that came from. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`
}

async function run(argv: readonly string[]): Promise<number> {
  const line = parseCommandLine(argv)
  if ('usageError' in line) return refuseUsage({ ...line, complain })
  if (line.command === 'help') return help({ topic: line.topic, print })

  const { envFile, json } = line.options
  const env = envFile === null ? process.env : withEnvFile(process.env, readSettingsFile(envFile))
  const surroundings = { env, readFile }
  const output = { json, print, complain }
  if (line.command !== 'serve') process.stdout.on('error', endUnread)
  switch (line.command) {
    case 'version':
      return version({ number: packageJson.version, json, print })
    case 'openapi':
      return runOpenapi()
    case 'healthcheck':
      return runHealthcheck(surroundings)
    case 'migrate':
      return runMigrate(surroundings, json)
    case 'serve':
      return runServe(surroundings)
    case 'grant': {
      const { grant } = await import('./cli/grant.ts')
      return withStore(surroundings, (ports) => grant({ ports, email: line.email, ...output }))
    }
    case 'revoke': {
      const { revoke } = await import('./cli/revoke.ts')
      return withStore(surroundings, (ports) => revoke({ ports, email: line.email, ...output }))
    }
    case 'status': {
      const { status } = await import('./cli/status.ts')
      return withStore(surroundings, (ports) => status({ ports, email: line.email, ...output }))
    }
    case 'purchases': {
      const { showPurchases } = await import('./cli/purchases.ts')
      const { review } = line
      return withStore(surroundings, (ports) => showPurchases({ ports, review, ...output }))
    }
    case 'purchases show': {
      const { showPurchase } = await import('./cli/purchases.ts')
      return withPorts(surroundings, (ports) => showPurchase({ ports, id: line.id, ...output }))
    }
    case 'reconcile': {
      const { reconcile } = await import('./cli/reconcile.ts')
      const { stopping } = (await import('./cli/stop-request.ts')).untilSignal('SIGTERM', 'SIGINT')
      const { sinceMs, dryRun } = line
      return withPorts(surroundings, (ports) =>
        reconcile({ ports, sinceMs, dryRun, ...output, progress: showProgress, stopping }),
      )
    }
  }
}

/** Whoever reads the first lines and goes is no failure, as with "alibi purchases | head"; a full disk is one. */
function endUnread({ code }: NodeJS.ErrnoException): void {
  process.exit(code === 'EPIPE' ? EXIT.done : EXIT.failed)
}

/** For the operator's commands that only look into the database, or write to it. */
async function withStore(
  surroundings: Surroundings,
  command: (ports: StorePorts) => Promise<number>,
): Promise<number> {
  const { openCurrentSqliteStore } = await import('../infrastructure/sqlite/store.ts')
  const { newGrantId } = await import('../infrastructure/hmac-secrets.ts')
  const { systemClock } = await import('../infrastructure/system-clock.ts')
  const { path } = loadDatabaseConfig(surroundings)
  const store = openDatabaseAt(existing(path), openCurrentSqliteStore)
  try {
    return await command({ ...store, clock: systemClock(), secrets: { newGrantId } })
  } finally {
    store.close()
  }
}

type StorePorts = Store & Pick<Ports, 'clock'> & { secrets: Pick<Ports['secrets'], 'newGrantId'> }

/**
 * For the operator's commands that ask the payment provider. What they log goes where their complaints go. They say
 * nothing to buyers, so that a slip in the operator's own content does not keep them from working.
 */
async function withPorts(
  surroundings: Surroundings,
  command: (ports: Ports) => Promise<number>,
): Promise<number> {
  const config = loadConfig(surroundings)
  const { builtInContent } = await import('../infrastructure/content.ts')
  const { createLog } = await import('../infrastructure/log.ts')
  const { openCurrentSqliteStore } = await import('../infrastructure/sqlite/store.ts')
  const { composePorts } = await import('./composition/compose-service.ts')
  function write(text: string) {
    showProgress(null)
    process.stderr.write(text)
  }
  const log = createLog({ level: config.logLevel, format: config.logFormat, write })
  const store = openDatabaseAt(existing(config.database.path), openCurrentSqliteStore)
  const url = `http://localhost:${config.port}`
  const publicUrl = publicUrlOf(config, url)
  const content = builtInContent()
  const parts = { config, store, log, content, url, publicUrl, write }
  const { ports, stop } = await composePorts(parts)
  try {
    return await command(ports)
  } finally {
    stop()
    store.close()
  }
}

/** An empty database in the wrong place would have nothing but wrong answers. */
function existing(path: string): string {
  if (!existsSync(path)) throw new Error(`there is no database at ${path}: look at DATABASE_URL`)
  return path
}

/** Rewrites the last line of a terminal; null clears it. A file or a pipe gets none of it. */
function showProgress(line: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line ?? ''}`)
}

function readSettingsFile(path: string): string {
  try {
    return readFile(path)
  } catch {
    throw new ConfigError([`--env-file: ${path} must be a readable file`])
  }
}

async function runHealthcheck(surroundings: Surroundings): Promise<number> {
  const { healthcheck } = await import('./cli/healthcheck.ts')
  return healthcheck({ ...loadListenAddress(surroundings), print })
}

async function runMigrate(surroundings: Surroundings, json: boolean): Promise<number> {
  const { path } = loadDatabaseConfig(surroundings)
  const { migrateSqlite } = await import('../infrastructure/sqlite/database.ts')
  const { migrate } = await import('./cli/migrate.ts')
  const applyMigrations = () => openDatabaseAt(path, migrateSqlite)
  return migrate({ applyMigrations, json, print })
}

/** Puts the service together as development does, in memory, and asks it for its description. */
async function runOpenapi(): Promise<number> {
  const config = loadConfig({
    env: { APP_ENV: 'development', JWT_SECRET: crypto.randomUUID() },
    readFile,
  })
  const { openSqliteStore } = await import('../infrastructure/sqlite/store.ts')
  const { builtInContent } = await import('../infrastructure/content.ts')
  const { openApiDocument } = await import('./http/openapi.ts')
  const { openapi } = await import('./cli/openapi.ts')
  const store = openSqliteStore(':memory:')
  const log = { info() {}, warn() {}, error() {} }
  const url = 'http://localhost'
  const { composeHttp, composePorts } = await import('./composition/compose-service.ts')
  const content = builtInContent()
  const parts = { config, store, log, content, url, publicUrl: url, write: writeOut }
  const { ports, desk } = await composePorts(parts)
  const stopping = new AbortController().signal
  const options = await composeHttp(parts, { ports, desk, version: packageJson.version, stopping })
  return openapi({ readDocument: () => openApiDocument(options), print })
}

async function runServe(surroundings: Surroundings): Promise<number> {
  const { createLog } = await import('../infrastructure/log.ts')
  const { openSqliteStore } = await import('../infrastructure/sqlite/store.ts')
  const { contentComposer, logWarnings } = await import('./composition/compose-content.ts')
  const { createHandler } = await import('./http/handler.ts')
  const { listen } = await import('./http/listen.ts')
  const { serve } = await import('./cli/serve.ts')
  const { workInBackground } = await import('./background.ts')
  const { composeHttp, composePorts } = await import('./composition/compose-service.ts')
  const { untilSignal } = await import('./cli/stop-request.ts')

  const { config, opened } = loadConfigWith(surroundings, await contentComposer())
  const { content, warnings } = opened
  const log = createLog({ level: config.logLevel, format: config.logFormat, write: writeOut })
  const stopRequest = untilSignal('SIGTERM', 'SIGINT')
  // A log that nobody reads any more, or that a full disk cannot take, is no reason to stop serving.
  process.stdout.on('error', () => {})
  // First of all: whoever is started beside a running service by mistake leaves its database alone.
  const listener = listen(config)
  logWarnings(log, warnings)
  const store = openDatabaseAt(config.database.path, openSqliteStore)
  return serve({
    listener,
    async compose(url) {
      const publicUrl = publicUrlOf(config, url)
      const { stopping } = stopRequest
      const parts = { config, store, log, content, url, publicUrl, write: writeOut }
      const { ports, desk, stop } = await composePorts(parts)
      const { version } = packageJson
      const options = await composeHttp(parts, { ports, desk, version, stopping })
      return {
        handler: createHandler(options),
        publicUrl,
        work: () => workInBackground({ ports, wait, stopping }),
        close() {
          stop()
          store.close()
        },
      }
    },
    log,
    stopRequested: stopRequest.requested,
    wait,
  })
}

/** An operator has to be told which database it is that does not open. */
function openDatabaseAt<Opened>(path: string, open: (path: string) => Opened): Opened {
  try {
    return open(path)
  } catch (error) {
    throw new Error(`the database ${path} cannot be opened`, { cause: error })
  }
}

/** In development it follows from where the service listens. */
function publicUrlOf({ publicUrl }: Config, url: string): string {
  return publicUrl ?? `http://localhost:${new URL(url).port}`
}
