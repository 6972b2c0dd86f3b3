import { resolve } from 'node:path'
import { judgeBackups } from '../../application/doctor/backups.ts'
import { judgeClock } from '../../application/doctor/clock.ts'
import { judgeDatabase } from '../../application/doctor/database.ts'
import { findingsOn } from '../../application/doctor/finding.ts'
import { judgeMail } from '../../application/doctor/mail.ts'
import { judgeProxy } from '../../application/doctor/proxy.ts'
import { judgeReach } from '../../application/doctor/reach.ts'
import type { Checkup } from '../../application/doctor/run-checks.ts'
import { judgeSettings, type SettingsFacts } from '../../application/doctor/settings.ts'
import { judgeStripe } from '../../application/doctor/stripe.ts'
import type { Clock } from '../../application/ports.ts'
import type { Email } from '../../domain/email.ts'
import {
  type Config,
  ConfigError,
  loadConfigWith,
  type Surroundings,
} from '../../infrastructure/config/config.ts'
import { RESEND_URL } from '../../infrastructure/config/email-settings.ts'
import {
  loadPartialConfig,
  type PartialConfig,
} from '../../infrastructure/config/partial-config.ts'
import { isLiveKey, STRIPE_ORIGIN } from '../../infrastructure/config/payment-settings.ts'
import { examineClock } from '../../infrastructure/doctor/clock.ts'
import { findExposedFiles } from '../../infrastructure/doctor/permissions.ts'
import { systemClock } from '../../infrastructure/system-clock.ts'
import { formatPrice } from '../cli/payment-words.ts'
import { contentComposer } from './compose-content.ts'
import { webhookUrls } from './compose-providers.ts'

/** For each question that is put to somebody else. */
const TIMEOUT_MS = 8_000
/** What the runtime inside the executable takes from its surroundings, however it is started. */
const RUNTIME_VARIABLES = ['BUN_OPTIONS', 'BUN_BE_BUN']

type Asked = {
  readonly mailTo: Email | null
  readonly offline: boolean
  readonly envFile: string | null
  readonly version: string
}

/** Looks at everything around it that the service depends on, and changes none of it. */
export async function openChecks(
  surroundings: Surroundings,
  { mailTo, offline, envFile, version }: Asked,
): Promise<{ checkups: readonly Checkup[]; areSettingsRight: boolean }> {
  const facts = await loadSettings(surroundings, envFile)
  const clock = systemClock()
  const parts = loadPartialConfig(surroundings)
  const checkups: readonly Checkup[] = [
    { names: ['settings'], needsNetwork: false, examine: async () => judgeSettings(facts) },
    databaseCheckup(parts, clock),
    backupCheckup(parts, clock),
    clockCheckup(parts, { clock, offline }),
    paymentCheckup(parts, clock),
    mailCheckup(parts, mailTo),
    reachCheckup(parts, { version }),
  ]
  return { checkups, areSettingsRight: facts.problems.length === 0 }
}

async function loadSettings(
  surroundings: Surroundings,
  envFile: string | null,
): Promise<SettingsFacts> {
  const { env } = surroundings
  const around = {
    isFileNamed: envFile !== null,
    runtimeVariables: RUNTIME_VARIABLES.filter((name) => env[name]),
    exposedFiles: findExposedFiles({ env, envFile }),
  }
  try {
    const { config } = loadConfigWith(surroundings, await contentComposer())
    const contentWarnings = await proofread(config.contentDir)
    const settings = settingsFacts(config)
    return { ...around, problems: [], contentWarnings, settings }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { problems } = error
    return { ...around, problems, contentWarnings: [], settings: null }
  }
}

/** A line for each thing in the operator's content that looks wrong; none for the built-in content. */
async function proofread(contentDir: string | null): Promise<readonly string[]> {
  if (contentDir === null) return []
  const { OWN_LIMITS } = await import('../../infrastructure/content/check-content.ts')
  const { describeProblem } = await import('../../infrastructure/content/content-file.ts')
  const { proofreadFolder } = await import('../../infrastructure/content/proofreading/proofread.ts')
  return proofreadFolder(contentDir, OWN_LIMITS).problems.map(describeProblem)
}

function settingsFacts(config: Config): SettingsFacts['settings'] {
  const { environment, publicUrl, host, port, trustedProxies, rateLimits, payment } = config
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
    isKeyLive: payment.provider === 'stripe' ? isLiveKey(payment.secretKey) : null,
    hasPreviousSecret: config.jwtSecretPrevious !== null,
    hasOwnContent: config.contentDir !== null,
  }
}

function databaseCheckup({ database }: PartialConfig, clock: Clock): Checkup {
  const names = ['database', 'disk', 'purchases', 'outbox'] as const
  if (!database) return unknown(names)
  return {
    names,
    needsNetwork: false,
    async examine() {
      const { examineSqlite } = await import('../../infrastructure/sqlite/database-probe.ts')
      return judgeDatabase(await examineSqlite(database.path, clock))
    },
  }
}

function backupCheckup({ backup: part, database }: PartialConfig, clock: Clock): Checkup {
  const names = ['backups'] as const
  if (!part) return unknown(names)
  const { backup } = part
  return {
    names,
    needsNetwork: false,
    async examine() {
      const { examineBackups } = await import('../../infrastructure/doctor/backups.ts')
      const databasePath = database && resolve(database.path)
      return judgeBackups(backup && examineBackups(backup, { clock, databasePath }))
    },
  }
}

/** Without the network, what the system says of its clock has to do. */
function clockCheckup(
  { payment, email }: PartialConfig,
  { clock, offline }: { clock: Clock; offline: boolean },
): Checkup {
  const stripeUrl = payment?.provider === 'stripe' ? (payment.apiUrl ?? STRIPE_ORIGIN) : null
  const mail = email?.email
  const mailUrl = mail?.provider === 'resend' ? (mail.baseUrl ?? RESEND_URL) : null
  const url = offline ? null : (stripeUrl ?? mailUrl)
  return {
    names: ['clock'],
    needsNetwork: !offline,
    examine: async () => judgeClock(await examineClock(url, { clock, timeoutMs: TIMEOUT_MS })),
  }
}

function paymentCheckup({ payment, network }: PartialConfig, clock: Clock): Checkup {
  const names = ['stripe', 'price', 'webhook'] as const
  if (!payment) return unknown(names)
  return {
    names,
    needsNetwork: payment.provider === 'stripe',
    async examine() {
      if (payment.provider === 'sandbox') return judgeStripe(null, { formatPrice })
      const { examineStripe } = await import('../../infrastructure/doctor/stripe.ts')
      const wanted = network?.publicUrl ? webhookUrls(network.publicUrl) : []
      const question = { ...payment, webhookUrls: wanted, clock, timeoutMs: TIMEOUT_MS }
      const facts = await examineStripe(question)
      return judgeStripe(facts, { formatPrice })
    },
  }
}

function mailCheckup({ email, network }: PartialConfig, mailTo: Email | null): Checkup {
  const names = ['mail'] as const
  if (!email) return unknown(names)
  const { email: provider, emailFrom: from } = email
  return {
    names,
    needsNetwork: provider.provider === 'resend',
    async examine() {
      if (provider.provider !== 'resend') return judgeMail(null)
      const { examineResend } = await import('../../infrastructure/doctor/resend.ts')
      const publicUrl = network?.publicUrl ?? null
      const question = { ...provider, from, publicUrl, mailTo, timeoutMs: TIMEOUT_MS }
      return judgeMail(await examineResend(question))
    },
  }
}

function reachCheckup({ network }: PartialConfig, release: { version: string }): Checkup {
  const names = ['service', 'public url', 'proxy'] as const
  if (!network) return unknown(names)
  return {
    names,
    needsNetwork: true,
    async examine() {
      const { examineReach } = await import('../../infrastructure/doctor/reach.ts')
      const forgedAddresses = [unusedAddress(), unusedAddress()] as const
      const question = { ...network, forgedAddresses, timeoutMs: TIMEOUT_MS }
      const { proxy, ...reach } = await examineReach(question)
      return [...judgeReach(reach, release), ...judgeProxy(proxy)]
    },
  }
}

/** What cannot be looked at while its own settings are wrong. */
function unknown(names: Checkup['names']): Checkup {
  const skipped = (name: string) => findingsOn(name).skipped('its settings have to be right first')
  return { names, needsNetwork: false, examine: async () => names.map(skipped) }
}

/** One of 131,072 that are nobody's: 198.18.0.0/15, RFC 2544. */
function unusedAddress(): string {
  const [bits = 0] = crypto.getRandomValues(new Uint32Array(1))
  return `198.${18 + (bits & 1)}.${(bits >> 8) & 0xff}.${(bits >> 16) & 0xff}`
}
