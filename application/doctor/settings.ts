import { isLoopback } from '../../domain/ip-address.ts'
import { shellWord } from '../format.ts'
import { type Finding, findingsOn } from './finding.ts'

export type SettingsFacts = {
  /** One line each; none where the settings are right, as far as the settings alone show. */
  readonly problems: readonly string[]
  /** One line for each thing in the operator's content that looks wrong. */
  readonly contentWarnings: readonly string[]
  /** Null where the settings are wrong. */
  readonly settings: {
    readonly isProduction: boolean
    readonly publicUrl: string | null
    readonly host: string
    readonly port: number
    readonly trustsProxies: boolean
    /** The settings that switch a limit off. */
    readonly limitsOff: readonly string[]
    /** How many mails with a code MAIL_LIMIT lets out in a day; null where nothing bounds them. */
    readonly mailsADay: number | null
    /** Null without a key of Stripe's. */
    readonly isKeyLive: boolean | null
    readonly hasPreviousSecret: boolean
    /** Whether promotion codes may pay for everything. */
    readonly takesAnyPromotionCode: boolean
    readonly hasOwnContent: boolean
  } | null
  /** The environment variables that the runtime inside the executable obeys. */
  readonly runtimeVariables: readonly string[]
  /** Whether a file of settings was named. */
  readonly isFileNamed: boolean
  /** Files with secrets in them that other users than their owner and group can read or write. */
  readonly exposedFiles: readonly ExposedFile[]
}

export type ExposedFile = {
  /** The setting, or the option, that names it. */
  readonly source: string
  readonly path: string
  /** Whether others may write it, too. */
  readonly isWritable: boolean
}

/** With fewer a handful of visitors use up what first-time buyers need. */
const MAILS_A_DAY_MIN = 500

const BY_FILE = 'alibi doctor --env-file /etc/alibi/alibi.env'

export function checkSettings(facts: SettingsFacts): readonly Finding[] {
  return [
    ...checkValues(facts),
    ...checkEnvironment(facts.runtimeVariables),
    ...facts.exposedFiles.map(reportExposedFile),
    ...checkContent(facts),
  ]
}

function checkValues({ problems, settings, isFileNamed }: SettingsFacts): readonly Finding[] {
  const { ok, failed } = findingsOn('settings')
  if (!settings) {
    const advice = isFileNamed
      ? 'set it right where it comes from: the service does not start like this'
      : `set it right where it comes from; an installed service has its settings in a file: ${BY_FILE}`
    const last = problems.length - 1
    // The advice stands once, because the operator corrects all of them in one go.
    return problems.map((problem, place) => ({
      ...failed(problem, advice),
      advice: place === last ? advice : null,
    }))
  }
  const { isProduction, publicUrl } = settings
  const where = publicUrl === null ? '' : `, for ${publicUrl}`
  const summary = `all there, for ${isProduction ? 'production' : 'development'}${where}`
  return [ok(summary), ...checkSafety(settings)]
}

function checkSafety({
  isProduction,
  publicUrl,
  host,
  port,
  trustsProxies,
  limitsOff,
  mailsADay,
  isKeyLive,
  hasPreviousSecret,
  takesAnyPromotionCode,
}: NonNullable<SettingsFacts['settings']>): readonly Finding[] {
  const { warning } = findingsOn('settings')
  const isBehindTls = publicUrl?.startsWith('https:') ?? false
  const found: Finding[] = []
  if (!isProduction) {
    found.push(
      warning(
        'APP_ENV is development: codes are shown to whoever asks for one',
        'on a server that others reach, set APP_ENV=production or leave it unset',
      ),
    )
  }
  if (isBehindTls && !isLoopback(host)) {
    found.push(
      warning(
        `HOST is ${host}: whoever reaches port ${port} of this machine gets in without TLS, and past the proxy`,
        'set HOST=127.0.0.1, or let a firewall keep that port to the proxy',
      ),
    )
  }
  if (isBehindTls && !trustsProxies) {
    found.push(
      warning(
        'TRUSTED_PROXIES is not set: behind a proxy all visitors look like one, and share its budgets',
        'set TRUSTED_PROXIES to the address from which the proxy connects, 127.0.0.1 on this machine',
      ),
    )
  }
  if (isProduction && limitsOff.length > 0) {
    found.push(
      warning(
        `${limitsOff.join(', ')}: off, so that nothing slows down whoever asks in a loop`,
        'leave it unset, or set a budget such as 10/15m',
      ),
    )
  }
  if (mailsADay !== null && mailsADay < MAILS_A_DAY_MIN) {
    found.push(
      warning(
        `MAIL_LIMIT lets ${Math.floor(mailsADay)} mails with a code out in a day: visitors of ten networks use up what first-time buyers need, those of twenty all of it`,
        `take a plan of your mail provider with ${MAILS_A_DAY_MIN} mails a day or more, and raise MAIL_LIMIT to it`,
      ),
    )
  }
  if (isProduction && isKeyLive === false) {
    found.push(
      warning(
        'STRIPE_SECRET_KEY is a test key: what is bought with it is no money, and gives access',
        'for sales, use the live key, its own webhook endpoint, and a new database',
      ),
    )
  }
  if (takesAnyPromotionCode) {
    found.push(
      warning(
        'ALLOW_PROMOTION_CODES is on: every active promotion code of the Stripe account counts, whatever it was made for',
        'set PREMIUM_MIN_AMOUNT to the least that you take, in minor units; less waits for your review',
      ),
    )
  }
  if (hasPreviousSecret) {
    found.push(
      warning(
        'JWT_SECRET_PREVIOUS is set: tokens signed with the old secret count',
        'take it away once TOKEN_TTL has passed since the change, or at once when the old secret has leaked',
      ),
    )
  }
  return found
}

function checkEnvironment(names: readonly string[]): readonly Finding[] {
  const { warning } = findingsOn('environment')
  return names.map((name) =>
    warning(
      `${name} is set, and the runtime inside the executable obeys it: it can run any code`,
      `unset ${name} wherever the service is started`,
    ),
  )
}

function reportExposedFile({ source, path, isWritable }: ExposedFile): Finding {
  const { warning } = findingsOn('files')
  const done = isWritable ? 'read or change' : 'read'
  return warning(
    `${source}: others on this machine may ${done} ${path}`,
    `chmod ${isWritable ? 'go-w,o-rwx' : 'o-rwx'} ${shellWord(path)}`,
  )
}

function checkContent({ settings, contentWarnings }: SettingsFacts): readonly Finding[] {
  if (!settings) return []
  const { ok, warning } = findingsOn('content')
  if (contentWarnings.length > 0) {
    const advice = 'have a look: it is served as it is'
    return contentWarnings.map((line) => warning(line, advice))
  }
  return [ok(settings.hasOwnContent ? 'that of CONTENT_DIR, without a doubt' : 'the built-in one')]
}
