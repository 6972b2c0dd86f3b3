import { resolve } from 'node:path'
import { checkBackups } from '../../application/doctor/backups.ts'
import { checkClock } from '../../application/doctor/clock.ts'
import { checkDatabase } from '../../application/doctor/database.ts'
import { findingsOn } from '../../application/doctor/finding.ts'
import { checkMail } from '../../application/doctor/mail.ts'
import { checkProxy } from '../../application/doctor/proxy.ts'
import { checkReach } from '../../application/doctor/reach.ts'
import type { Check } from '../../application/doctor/run-checks.ts'
import { checkSettings, type SettingsFacts } from '../../application/doctor/settings.ts'
import { checkStripe } from '../../application/doctor/stripe.ts'
import type { Clock } from '../../application/ports.ts'
import { DAY_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import {
  type Config,
  ConfigError,
  type Environment,
  loadConfigWith,
} from '../../infrastructure/config/config.ts'
import { RESEND_URL } from '../../infrastructure/config/email-settings.ts'
import type { NetworkConfig } from '../../infrastructure/config/network-settings.ts'
import {
  loadPartialConfig,
  type PartialConfig,
} from '../../infrastructure/config/partial-config.ts'
import { isLiveKey, STRIPE_ORIGIN } from '../../infrastructure/config/payment-settings.ts'
import { probeClock } from '../../infrastructure/doctor/clock.ts'
import { findExposedFiles } from '../../infrastructure/doctor/permissions.ts'
import { CALLERS_RIGHTS, type TakenRights } from '../../infrastructure/rights/effective-user.ts'
import { takeOwnersRights, withRightsFor } from '../../infrastructure/rights/state-folder.ts'
import { systemClock } from '../../infrastructure/system-clock.ts'
import { formatPrice } from '../cli/payment-words.ts'
import { composeContent } from './compose-content.ts'
import { webhookUrls } from './compose-providers.ts'
import { publicUrlOf } from './open-store.ts'
import { postgresCheck } from './postgres-check.ts'

/** For each question to another machine. */
const TIMEOUT_MS = 8_000
/** Variables that the runtime inside the executable always obeys. */
const RUNTIME_VARIABLES = ['BUN_OPTIONS', 'BUN_BE_BUN']

type Asked = {
  readonly mailTo: Email | null
  readonly offline: boolean
  readonly envFile: string | null
  readonly version: string
}

/** The checks of everything that the service depends on. They change none of it. */
export async function openChecks(
  environment: Environment,
  { mailTo, offline, envFile, version }: Asked,
): Promise<{ checks: readonly Check[]; areSettingsRight: boolean }> {
  const facts = await loadSettings(environment, envFile)
  const clock = systemClock()
  const parts = loadPartialConfig(environment)
  const rights =
    parts.database?.kind === 'sqlite' ? takeOwnersRights(parts.database.path) : CALLERS_RIGHTS
  const checks: readonly Check[] = [
    { names: ['settings'], needsNetwork: false, run: async () => checkSettings(facts) },
    ...(parts.database?.kind === 'postgres'
      ? [postgresCheck(parts.database, clock)]
      : [databaseCheck(parts, clock), backupCheck(parts, { clock, rights })]),
    clockCheck(parts, { clock, offline }),
    paymentCheck(parts, clock),
    mailCheck(parts, { mailTo, clock }),
    reachCheck(parts, { version }),
  ]
  return { checks, areSettingsRight: facts.problems.length === 0 }
}

/** The checks of the providers and of the way that users come, on settings that need not be stored yet. */
export function openProviderChecks(
  environment: Environment,
  release: { version: string },
): Readonly<Record<'stripe' | 'mail' | 'reach', Check>> {
  const parts = loadPartialConfig(environment)
  const clock = systemClock()
  return {
    stripe: paymentCheck(parts, clock),
    mail: mailCheck(parts, { mailTo: null, clock }),
    reach: reachCheck(parts, release),
  }
}

async function loadSettings(
  environment: Environment,
  envFile: string | null,
): Promise<SettingsFacts> {
  const { env } = environment
  const around = {
    isFileNamed: envFile !== null,
    runtimeVariables: RUNTIME_VARIABLES.filter((name) => env[name]),
    exposedFiles: findExposedFiles({ env, envFile }),
  }
  try {
    const { config } = loadConfigWith(environment, composeContent)
    const contentWarnings = await proofread(config)
    const settings = settingsFacts(config)
    return { ...around, problems: [], contentWarnings, settings }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { problems } = error
    return { ...around, problems, contentWarnings: [], settings: null }
  }
}

/** A line for each thing in the operator's content that looks wrong; none for the built-in content. */
async function proofread({ contentDir, database }: Config): Promise<readonly string[]> {
  if (contentDir === null) return []
  const { OWN_LIMITS } = await import('../../infrastructure/content/check-content.ts')
  const { describeProblem } = await import('../../infrastructure/content/content-file.ts')
  const { proofreadFolder } = await import('../../infrastructure/content/proofreading/proofread.ts')
  const read = () => proofreadFolder(contentDir, OWN_LIMITS)
  const { problems } =
    database.kind === 'sqlite' ? withRightsFor(contentDir, database.path, read) : read()
  return problems.map(describeProblem)
}

function settingsFacts(config: Config): SettingsFacts['settings'] {
  const { environment, publicUrl, host, port, trustedProxies, rateLimits, payment } = config
  const { mailLimit } = config
  const limits = { GENERAL: rateLimits.general, AUTH: rateLimits.auth, PREMIUM: rateLimits.premium }
  return {
    isProduction: environment === 'production',
    publicUrl,
    host,
    port,
    trustsProxies: trustedProxies.length > 0,
    limitsOff: Object.entries(limits)
      .filter(([, limit]) => limit === null)
      .map(([name]) => `RATE_LIMIT_${name}`),
    mailsADay: mailLimit && (mailLimit.limit * DAY_MS) / mailLimit.windowMs,
    isKeyLive: payment.provider === 'stripe' ? isLiveKey(payment.secretKey) : null,
    hasPreviousSecret: config.jwtSecretPrevious !== null,
    takesAnyPromotionCode: config.allowPromotionCodes && config.amountMin === 0,
    hasOwnContent: config.contentDir !== null,
  }
}

function databaseCheck({ database }: PartialConfig, clock: Clock): Check {
  const names = ['database', 'disk', 'purchases', 'outbox'] as const
  if (database?.kind !== 'sqlite') return unknown(names)
  return {
    names,
    needsNetwork: false,
    async run() {
      const { probeDatabase } = await import('../../infrastructure/sqlite/database-probe.ts')
      return checkDatabase(await probeDatabase(database.path, clock))
    },
  }
}

function backupCheck(
  { backup: part, database }: PartialConfig,
  { clock, rights }: { clock: Clock; rights: TakenRights },
): Check {
  const names = ['backups'] as const
  if (!part) return unknown(names)
  const { backup } = part
  return {
    names,
    needsNetwork: false,
    async run() {
      const { probeBackups } = await import('../../infrastructure/doctor/backups.ts')
      const databasePath = database?.kind === 'sqlite' ? resolve(database.path) : null
      const probe = () => backup && probeBackups(backup, { clock, databasePath })
      const isAside = backup && databasePath !== null
      if (!isAside) return checkBackups(probe())
      const facts = rights.asCaller(() => withRightsFor(backup.folder, databasePath, probe))
      return checkBackups(facts)
    },
  }
}

/** Without the network, only the system is asked about its clock. */
function clockCheck(
  { payment, email }: PartialConfig,
  { clock, offline }: { clock: Clock; offline: boolean },
): Check {
  const stripeUrl = payment?.provider === 'stripe' ? (payment.apiUrl ?? STRIPE_ORIGIN) : null
  const mail = email?.email
  const mailUrl = mail?.provider === 'resend' ? (mail.baseUrl ?? RESEND_URL) : null
  const url = offline ? null : (stripeUrl ?? mailUrl)
  return {
    names: ['clock'],
    needsNetwork: !offline,
    run: async () => checkClock(await probeClock(url, { clock, timeoutMs: TIMEOUT_MS })),
  }
}

function paymentCheck({ payment, network }: PartialConfig, clock: Clock): Check {
  const names = ['stripe', 'price', 'checkout', 'webhook'] as const
  if (!payment) return unknown(names)
  return {
    names,
    needsNetwork: payment.provider === 'stripe',
    async run() {
      if (payment.provider === 'sandbox') return checkStripe(null, { formatPrice })
      const { probeStripe } = await import('../../infrastructure/doctor/stripe.ts')
      const wanted = network ? webhookUrls(publicUrlAt(network)) : []
      const question = { ...payment, webhookUrls: wanted, clock, timeoutMs: TIMEOUT_MS }
      const facts = await probeStripe(question)
      return checkStripe(facts, { formatPrice })
    },
  }
}

function mailCheck(
  { email, network }: PartialConfig,
  { mailTo, clock }: { mailTo: Email | null; clock: Clock },
): Check {
  const names = ['mail'] as const
  if (!email) return unknown(names)
  const { email: provider, emailFrom: from } = email
  return {
    names,
    needsNetwork: provider.provider !== 'console',
    async run() {
      if (provider.provider === 'smtp') {
        const { checkSmtp } = await import('../../application/doctor/smtp.ts')
        const { probeSmtp } = await import('../../infrastructure/doctor/smtp.ts')
        const { server } = provider
        const publicUrl = network?.publicUrl ?? null
        return checkSmtp(
          await probeSmtp({
            server,
            from,
            publicUrl,
            mailTo,
            now: clock.now(),
            timeoutMs: TIMEOUT_MS,
          }),
        )
      }
      if (provider.provider !== 'resend') return checkMail(null)
      const { probeResend } = await import('../../infrastructure/doctor/resend.ts')
      const publicUrl = network?.publicUrl ?? null
      const question = { ...provider, from, publicUrl, mailTo, timeoutMs: TIMEOUT_MS }
      return checkMail(await probeResend(question))
    },
  }
}

function reachCheck({ network }: PartialConfig, release: { version: string }): Check {
  const names = ['service', 'public url', 'proxy'] as const
  if (!network) return unknown(names)
  return {
    names,
    needsNetwork: true,
    async run() {
      const { probeReach } = await import('../../infrastructure/doctor/reach.ts')
      const forgedAddresses = [unusedAddress(), unusedAddress()] as const
      const question = { ...network, forgedAddresses, timeoutMs: TIMEOUT_MS }
      const { proxy, ...reach } = await probeReach(question)
      return [...checkReach(reach, release), ...checkProxy(proxy)]
    },
  }
}

/** As `serve` fills it in: only in development none has to be set. */
function publicUrlAt({ publicUrl, port }: NetworkConfig): string {
  return publicUrlOf({ publicUrl }, `http://localhost:${port}`)
}

/** A check that cannot run while its own settings are wrong. */
function unknown(names: Check['names']): Check {
  const skipped = (name: string) => findingsOn(name).skipped('its settings have to be right first')
  return { names, needsNetwork: false, run: async () => names.map(skipped) }
}

/** One of the 131,072 addresses that no machine on the internet has: 198.18.0.0/15, RFC 2544. */
function unusedAddress(): string {
  const [bits = 0] = crypto.getRandomValues(new Uint32Array(1))
  return `198.${18 + (bits & 1)}.${(bits >> 8) & 0xff}.${(bits >> 16) & 0xff}`
}
