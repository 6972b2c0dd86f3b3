import { dirname } from 'node:path'
import type { Clock, Content, Log, Ports } from '../../application/ports.ts'
import type { SandboxCheckout } from '../../application/sandbox-checkout.ts'
import type { Telemetry } from '../../application/telemetry.ts'
import { watchReadiness } from '../../application/upkeep/watch-readiness.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Config } from '../../infrastructure/config/config.ts'
import { sqlitePathOf } from '../../infrastructure/config/sqlite-path.ts'
import type { DatabaseStore } from '../../infrastructure/database/database-store.ts'
import { sessionQuestionGate } from '../../infrastructure/rate-limit/session-question-gate.ts'
import { readerDecks } from '../../infrastructure/reader-decks.ts'
import { developmentSecret } from '../../infrastructure/secrets/development-secret.ts'
import { hmacSecrets } from '../../infrastructure/secrets/hmac-secrets.ts'
import { jwtTokens } from '../../infrastructure/secrets/jwt-tokens.ts'
import { orderSeals } from '../../infrastructure/secrets/order-seals.ts'
import { monotonicMs } from '../../infrastructure/system-clock.ts'
import {
  measuredMailer,
  measuredPayments,
  NO_TELEMETRY,
} from '../../infrastructure/telemetry/instrumented.ts'
import type { RateLimitPolicy } from '../http/paths.ts'
import type { HttpOptions } from '../http/request/options.ts'
import { composeMailer, composePayment } from './compose-providers.ts'
import type { ServedDatabase } from './served-database.ts'

type ServiceParts = {
  readonly config: Config
  readonly store: DatabaseStore
  readonly clock: Clock
  readonly log: Log
  readonly content: Content
  /** Where the service listens. */
  readonly url: string
  /** The address users reach. */
  readonly publicUrl: string
  /** Prints a text as it is, such as a mail in development. */
  readonly write: (text: string) => void
  /** Left out where nothing collects metrics. */
  readonly telemetry?: Telemetry
}

/** Far more readers than there are at one time, in some ten megabytes. */
const READERS_MAX = 10_000

/** Wires every adapter that a use case can ask for; `stop` ends what they do by themselves. */
export async function composePorts({
  config,
  store,
  clock,
  log,
  content,
  url,
  publicUrl,
  write,
  telemetry = NO_TELEMETRY,
}: ServiceParts): Promise<{
  ports: Ports
  sandboxCheckout: SandboxCheckout | null
  stop: () => void
}> {
  const secret = config.jwtSecret ?? developmentSecret(dirname(sqlitePathOf(config.database)))
  const seals = orderSeals({ secret, previousSecret: config.jwtSecretPrevious })
  const payment = await composePayment({ config, store, seals, clock, log, publicUrl, url })
  const mail = await composeMailer(config.email, {
    from: config.emailFrom,
    content,
    publicUrl,
    write,
  })
  const instruments = { telemetry, log, monotonicMs }
  const ports: Ports = {
    ...store,
    clock,
    content,
    decks: readerDecks({ readersMax: READERS_MAX }),
    log,
    telemetry,
    mailer: measuredMailer(mail.mailer, instruments),
    payments: measuredPayments(payment.payments, instruments),
    notifications: payment.notifications,
    sessionQuestions: sessionQuestionGate({ monotonicMs }),
    secrets: hmacSecrets({ secret, previousSecret: config.jwtSecretPrevious }),
    tokens: jwtTokens({
      secret,
      previousSecret: config.jwtSecretPrevious,
      issuer: publicUrl,
      lifetimeMs: config.tokenLifetimeMs,
    }),
    rules: {
      otpLifetimeMs: config.otpLifetimeMs,
      verificationLifetimeMs: config.verificationLifetimeMs,
      tokenLifetimeMs: config.tokenLifetimeMs,
      mailLimit: config.mailLimit,
      allowPromotionCodes: config.allowPromotionCodes,
      amountMin: config.amountMin,
      refundDuplicates: config.refundDuplicates,
    },
  }
  function stop(): void {
    payment.stop()
    mail.stop()
  }
  return { ports, sandboxCheckout: payment.sandboxCheckout, stop }
}

/** Enough for every visit of a page, and for whatever was tried before the payment. */
const PROOF_LIMIT = { limit: 30, windowMs: 15 * MINUTE_MS }

/** What the HTTP interface needs beside the ports. */
export function composeHttp(
  {
    config,
    publicUrl,
    limiter,
  }: Pick<ServiceParts, 'config' | 'publicUrl'> & Pick<ServedDatabase, 'limiter'>,
  {
    ports,
    sandboxCheckout,
    version,
    stopping,
  }: {
    ports: Ports
    sandboxCheckout: SandboxCheckout | null
    version: string
    stopping: AbortSignal
  },
): HttpOptions {
  const limiterOf = (policy: RateLimitPolicy) => {
    const limit = config.rateLimits[policy]
    return limit && limiter(policy, limit)
  }
  return {
    ports,
    sandbox: sandboxCheckout,
    limiters: {
      general: limiterOf('general'),
      auth: limiterOf('auth'),
      premium: limiterOf('premium'),
      logOut: config.rateLimits.auth && limiter('logOut', config.rateLimits.auth),
      proof: config.rateLimits.auth && limiter('proof', PROOF_LIMIT),
    },
    development: config.environment === 'development',
    version,
    publicUrl,
    isIndexed: config.isIndexed,
    isHttps: publicUrl.startsWith('https:'),
    corsOrigins: config.corsOrigins,
    isTrustedProxy: config.isTrustedProxy,
    isReady: watchReadiness(ports, { monotonicMs }),
    monotonicMs,
    stopping,
  }
}
