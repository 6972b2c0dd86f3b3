import { statSync } from 'node:fs'
import { describeProblem } from '../../application/content/content-files.ts'
import { type Finding, findingsOn, made } from '../../application/doctor/finding.ts'
import { shellWord } from '../../application/format.ts'
import { DAY_MS } from '../../domain/duration.ts'
import { isLoopback } from '../../domain/ip-address.ts'
import { type Config, ConfigError, type Environment, loadConfigWith } from '../config/config.ts'
import { isLiveKey } from '../config/payment-settings.ts'
import { SECRETS } from '../config/secret-settings.ts'
import type { Variables } from '../config/settings-source.ts'
import { OWN_LIMITS } from '../content/check-content.ts'
import { proofreadFolder } from '../content/proofreading/proofread.ts'
import { isOpenToOthers, isWritableByOthers } from '../files/permissions.ts'
import { withRightsFor } from '../rights/state-folder.ts'

/** Variables that the runtime inside the executable always obeys. */
const RUNTIME_VARIABLES = ['BUN_OPTIONS', 'BUN_BE_BUN']
/** With fewer a handful of visitors use up what first-time buyers need. */
const MAILS_A_DAY_MIN = 500

const BY_FILE = 'alibi doctor --env-file /etc/alibi/alibi.env'

/** Looks at the settings, as far as they alone show, at who may read them, and at the content that they name. */
export function checkSettings(
  environment: Environment,
  {
    envFile,
    readContent,
  }: {
    /** What --env-file names; null without it. */
    envFile: string | null
    /** As the service reads it. */
    readContent: Parameters<typeof loadConfigWith>[1]
  },
): readonly Finding[] {
  const { env } = environment
  const around = [...checkRuntime(env), ...checkFiles(env, envFile)]
  try {
    const { config } = loadConfigWith(environment, readContent)
    return [...checkValues(config), ...around, ...checkContent(config)]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [...reportProblems(error.problems, envFile), ...around]
  }
}

/** The advice stands once, because the operator corrects all of them in one go. */
function reportProblems(problems: readonly string[], envFile: string | null): readonly Finding[] {
  const advice =
    envFile !== null
      ? 'set it right where it comes from: the service does not start like this'
      : `set it right where it comes from; an installed service has its settings in a file: ${BY_FILE}`
  const failures = problems.map((problem) => findingsOn('settings').failed(problem, advice))
  return failures.map((failure) =>
    failure === failures.at(-1) ? failure : { ...failure, advice: null },
  )
}

function checkValues(config: Config): readonly Finding[] {
  const { ok, warning } = findingsOn('settings')
  const { environment, publicUrl, host, port, payment, mailLimit } = config
  const isProduction = environment === 'production'
  const isBehindTls = publicUrl?.startsWith('https:') ?? false
  const limitsOff = Object.entries(config.rateLimits)
    .filter(([, limit]) => limit === null)
    .map(([name]) => `RATE_LIMIT_${name.toUpperCase()}`)
  const mailsADay = mailLimit && (mailLimit.limit * DAY_MS) / mailLimit.windowMs
  return made(
    ok(`all there, for ${environment}${publicUrl === null ? '' : `, for ${publicUrl}`}`),
    !isProduction &&
      warning(
        'APP_ENV is development: codes are shown to whoever asks for one',
        'on a server that others reach, set APP_ENV=production or leave it unset',
      ),
    isBehindTls &&
      !isLoopback(host) &&
      warning(
        `HOST is ${host}: whoever reaches port ${port} of this machine gets in without TLS, and past the proxy`,
        'set HOST=127.0.0.1, or let a firewall keep that port to the proxy',
      ),
    isBehindTls &&
      config.trustedProxies.length === 0 &&
      warning(
        'TRUSTED_PROXIES is not set: behind a proxy all visitors look like one, and share its budgets',
        'set TRUSTED_PROXIES to the address from which the proxy connects, 127.0.0.1 on this machine',
      ),
    isProduction &&
      limitsOff.length > 0 &&
      warning(
        `${limitsOff.join(', ')}: off, so that nothing slows down whoever asks in a loop`,
        'leave it unset, or set a budget such as 10/15m',
      ),
    mailsADay !== null &&
      mailsADay < MAILS_A_DAY_MIN &&
      warning(
        `MAIL_LIMIT lets ${Math.floor(mailsADay)} mails with a code out in a day: visitors of ten networks use up what first-time buyers need, those of twenty all of it`,
        `take a plan of your mail provider with ${MAILS_A_DAY_MIN} mails a day or more, and raise MAIL_LIMIT to it`,
      ),
    isProduction &&
      payment.provider === 'stripe' &&
      !isLiveKey(payment.secretKey) &&
      warning(
        'STRIPE_SECRET_KEY is a test key: what is bought with it is no money, and gives access',
        'for sales, use the live key, its own webhook endpoint, and a new database',
      ),
    config.allowPromotionCodes &&
      config.amountMin === 0 &&
      warning(
        'ALLOW_PROMOTION_CODES is on: every active promotion code of the Stripe account counts, whatever it was made for',
        'set PREMIUM_MIN_AMOUNT to the least that you take, in minor units; less waits for your review',
      ),
    config.jwtSecretPrevious !== null &&
      warning(
        'JWT_SECRET_PREVIOUS is set: tokens signed with the old secret count',
        'take it away once TOKEN_TTL has passed since the change, or at once when the old secret has leaked',
      ),
  )
}

function checkRuntime(env: Variables): readonly Finding[] {
  const { warning } = findingsOn('environment')
  return RUNTIME_VARIABLES.filter((name) => env[name]).map((name) =>
    warning(
      `${name} is set, and the runtime inside the executable obeys it: it can run any code`,
      `unset ${name} wherever the service is started`,
    ),
  )
}

/** The files with settings or secrets that others may read, or that users other than their owner may write. */
function checkFiles(env: Variables, envFile: string | null): readonly Finding[] {
  const directory = env['CREDENTIALS_DIRECTORY']
  const named = SECRETS.flatMap((name) => [
    { source: `${name}_FILE`, path: env[`${name}_FILE`] },
    { source: name, path: directory && `${directory}/${name}` },
  ])
  return [{ source: '--env-file', path: envFile }, ...named].flatMap(({ source, path }) =>
    path ? checkFile(source, path) : [],
  )
}

function checkFile(source: string, path: string): readonly Finding[] {
  try {
    const file = statSync(path)
    const isWritable = isWritableByOthers(file)
    if (!file.isFile() || !(isWritable || isOpenToOthers(file))) return []
    return [
      findingsOn('files').warning(
        `${source}: others on this machine may ${isWritable ? 'read or change' : 'read'} ${path}`,
        `chmod ${isWritable ? 'go-w,o-rwx' : 'o-rwx'} ${shellWord(path)}`,
      ),
    ]
  } catch {
    // Where there is no such file, or it may not be examined, the loading of the settings says so.
    return []
  }
}

/** A line for each thing in the operator's content that looks wrong; none for the built-in content. */
function checkContent({ contentDir, database }: Config): readonly Finding[] {
  const { ok, warning } = findingsOn('content')
  if (contentDir === null) return [ok('the built-in one')]
  const read = () => proofreadFolder(contentDir, OWN_LIMITS)
  const { problems } =
    database.kind === 'sqlite' ? withRightsFor(contentDir, database.path, read) : read()
  if (problems.length === 0) return [ok('that of CONTENT_DIR, without a doubt')]
  return problems.map((problem) =>
    warning(describeProblem(problem), 'have a look: it is served as it is'),
  )
}
