import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type {
  Clock,
  Content,
  Log,
  Mailer,
  PaymentGateway,
  Ports,
  SandboxDesk,
} from '../application/ports.ts'
import {
  type Config,
  ConfigError,
  loadConfig,
  loadDatabaseConfig,
  loadListenAddress,
} from '../infrastructure/config.ts'
import type { RateLimit } from '../infrastructure/durations.ts'
import { withEnvFile } from '../infrastructure/env-file.ts'
import type { SqliteStore } from '../infrastructure/sqlite/store.ts'
import packageJson from '../package.json' with { type: 'json' }
import { parseCommandLine } from './cli/commands.ts'
import { EXIT } from './cli/exit-codes.ts'
import { help, refuseUsage } from './cli/help.ts'
import { version } from './cli/version.ts'
import type { HttpOptions } from './http/options.ts'

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
      return runServe(loadConfig(surroundings))
  }
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
  const { openApiDocument } = await import('./http/openapi.ts')
  const { openapi } = await import('./cli/openapi.ts')
  const store = openSqliteStore(':memory:')
  const log = { info() {}, warn() {}, error() {} }
  const url = 'http://localhost'
  const { options } = await composeHttp({ config, store, log, url, publicUrl: url })
  return openapi({ readDocument: () => openApiDocument(options), print })
}

async function runServe(config: Config): Promise<number> {
  const { createLog } = await import('../infrastructure/log.ts')
  const { openSqliteStore } = await import('../infrastructure/sqlite/store.ts')
  const { createHandler } = await import('./http/handler.ts')
  const { listen } = await import('./http/listen.ts')
  const { serve } = await import('./cli/serve.ts')
  const { untilSignal } = await import('./cli/stop-request.ts')

  const log = createLog({ level: config.logLevel, format: config.logFormat, write: writeOut })
  const stopRequest = untilSignal('SIGTERM', 'SIGINT')
  // A log that nobody reads any more, or that a full disk cannot take, is no reason to stop serving.
  process.stdout.on('error', () => {})
  // First of all: whoever is started beside a running service by mistake leaves its database alone.
  const listener = listen(config)
  const store = openDatabaseAt(config.database.path, openSqliteStore)
  return serve({
    listener,
    async compose(url) {
      const publicUrl = publicUrlOf(config, url)
      const parts = { config, store, log, url, publicUrl, stopping: stopRequest.stopping }
      const { options, stop } = await composeHttp(parts)
      return {
        handler: createHandler(options),
        publicUrl,
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

/** Wires every adapter. `url` is where the service listens; `stop` ends what it does by itself. */
async function composeHttp({
  config,
  store,
  log,
  url,
  publicUrl,
  stopping = new AbortController().signal,
}: {
  config: Config
  store: SqliteStore
  log: Log
  url: string
  publicUrl: string
  stopping?: AbortSignal
}): Promise<{ options: HttpOptions; stop: () => void }> {
  const { builtInContent } = await import('../infrastructure/content.ts')
  const { developmentSecret } = await import('../infrastructure/development-secret.ts')
  const { hmacSecrets } = await import('../infrastructure/hmac-secrets.ts')
  const { jwtTokens } = await import('../infrastructure/jwt-tokens.ts')
  const { slidingWindowLimiter } = await import('../infrastructure/sliding-window-limiter.ts')
  const { systemClock } = await import('../infrastructure/system-clock.ts')

  const secret = config.jwtSecret ?? developmentSecret(dirname(config.database.path))
  const clock = systemClock()
  const content = builtInContent()
  const payment = await composePayment({ config, store, clock, publicUrl, url })
  const limiterOf = (budget: RateLimit | null) =>
    budget && slidingWindowLimiter({ ...budget, monotonicMs: () => performance.now() })

  const ports: Ports = {
    ...store,
    clock,
    content,
    log,
    mailer: await composeMailer({ config, content, host: new URL(publicUrl).hostname }),
    payments: payment.gateway,
    secrets: hmacSecrets({ secret }),
    tokens: jwtTokens({
      secret,
      previousSecret: config.jwtSecretPrevious,
      issuer: publicUrl,
      lifetimeMs: config.tokenLifetimeMs,
    }),
    rules: {
      otpLifetimeMs: config.otpLifetimeMs,
      verificationLifetimeMs: config.verificationLifetimeMs,
      allowPromotionCodes: config.allowPromotionCodes,
    },
  }
  return {
    options: {
      ports,
      sandbox: payment.desk,
      limiters: {
        general: limiterOf(config.rateLimits.general),
        auth: limiterOf(config.rateLimits.auth),
        premium: limiterOf(config.rateLimits.premium),
      },
      development: config.environment === 'development',
      version: packageJson.version,
      isHttps: publicUrl.startsWith('https:'),
      corsOrigins: config.corsOrigins,
      trustedProxies: config.trustedProxies,
      stopping,
    },
    stop: payment.stop,
  }
}

async function composePayment({
  config: { payment, allowPromotionCodes },
  store,
  clock,
  publicUrl,
  url,
}: {
  config: Config
  store: SqliteStore
  clock: Clock
  publicUrl: string
  url: string
}): Promise<{ gateway: PaymentGateway; desk: SandboxDesk | null; stop: () => void }> {
  if (payment.provider === 'stripe') {
    const { stripePaymentGateway } = await import('../infrastructure/stripe-payment-gateway.ts')
    const gateway = stripePaymentGateway({ ...payment, publicUrl, allowPromotionCodes, clock })
    return { gateway, desk: null, stop() {} }
  }
  const { postNotification } = await import('../infrastructure/sandbox-delivery.ts')
  const { sandboxPaymentGateway } = await import('../infrastructure/sandbox-payment-gateway.ts')
  return sandboxPaymentGateway({
    ...payment,
    sessions: store.sandboxSessions,
    publicUrl,
    webhookSecret: crypto.randomUUID(),
    deliver: (delivery) => postNotification(`${url}/webhook/payment`, delivery),
    wait,
    clock,
    newId: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
  })
}

async function composeMailer({
  config: { email, emailFrom: from },
  content,
  host,
}: {
  config: Config
  content: Content
  host: string
}): Promise<Mailer> {
  if (email.provider === 'resend') {
    const { resendMailer } = await import('../infrastructure/resend-mailer.ts')
    return resendMailer({ ...email, from, content, host })
  }
  const { consoleMailer } = await import('../infrastructure/console-mailer.ts')
  return consoleMailer({ write: writeOut, content, host })
}

/** Resolves after so many milliseconds, and does not keep the process alive for it. */
function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })
}
