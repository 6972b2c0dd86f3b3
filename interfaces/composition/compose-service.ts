import { dirname } from 'node:path'
import type { Content, Log, Ports } from '../../application/ports.ts'
import type { SandboxCheckout } from '../../application/sandbox-checkout.ts'
import type { Telemetry } from '../../application/telemetry.ts'
import { watchReadiness } from '../../application/upkeep/watch-readiness.ts'
import type { Config } from '../../infrastructure/config/config.ts'
import type { RateLimit } from '../../infrastructure/config/durations.ts'
import { sqlitePathOf } from '../../infrastructure/config/sqlite-path.ts'
import type { DatabaseStore } from '../../infrastructure/database/database-store.ts'
import { lastReasonCache } from '../../infrastructure/last-reason-cache.ts'
import { sessionQuestionGate } from '../../infrastructure/rate-limit/session-question-gate.ts'
import { slidingWindowLimiter } from '../../infrastructure/rate-limit/sliding-window-limiter.ts'
import { developmentSecret } from '../../infrastructure/secrets/development-secret.ts'
import { hmacSecrets } from '../../infrastructure/secrets/hmac-secrets.ts'
import { jwtTokens } from '../../infrastructure/secrets/jwt-tokens.ts'
import { orderSeals } from '../../infrastructure/secrets/order-seals.ts'
import { systemClock } from '../../infrastructure/system-clock.ts'
import {
  measuredMailer,
  measuredPayments,
  NO_TELEMETRY,
} from '../../infrastructure/telemetry/instrumented.ts'
import type { HttpOptions } from '../http/request/options.ts'
import { composeMailer, composePayment } from './compose-providers.ts'

const monotonicMs = () => performance.now()

type ServiceParts = {
  readonly config: Config
  readonly store: DatabaseStore
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

/** Far more readers than there are at one time, in a few megabytes. */
const LAST_REASONS_CACHE_MAX = 10_000

/** Wires every adapter that a use case can ask for; `stop` ends what they do by themselves. */
export async function composePorts({
  config,
  store,
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
  const clock = systemClock()
  const seals = orderSeals({ secret, previousSecret: config.jwtSecretPrevious })
  const payment = await composePayment({ config, store, seals, clock, publicUrl, url })
  const mailer = await composeMailer(config.email, {
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
    lastReasons: lastReasonCache({ readersMax: LAST_REASONS_CACHE_MAX }),
    log,
    telemetry,
    mailer: measuredMailer(mailer, instruments),
    payments: measuredPayments(payment.gateway, instruments),
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
  return { ports, sandboxCheckout: payment.sandboxCheckout, stop: payment.stop }
}

/** What the HTTP interface needs beside the ports. */
export function composeHttp(
  { config, publicUrl }: Pick<ServiceParts, 'config' | 'publicUrl'>,
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
  const [first = 0, second = 0] = crypto.getRandomValues(new Uint32Array(2))
  const seeds = [first, second] as const
  const limiterOf = (limit: RateLimit | null) =>
    limit && slidingWindowLimiter({ ...limit, monotonicMs, seeds })
  return {
    ports,
    sandbox: sandboxCheckout,
    limiters: {
      general: limiterOf(config.rateLimits.general),
      auth: limiterOf(config.rateLimits.auth),
      premium: limiterOf(config.rateLimits.premium),
    },
    development: config.environment === 'development',
    version,
    isHttps: publicUrl.startsWith('https:'),
    corsOrigins: config.corsOrigins,
    isTrustedProxy: config.isTrustedProxy,
    isReady: watchReadiness(ports, { monotonicMs }),
    monotonicMs,
    stopping,
  }
}
