import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../executable/until.ts'
import { startMailbox } from '../mailbox.ts'
import { startStripeDouble } from '../stripe-double/stripe-double.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { FROM_SOURCE, runAlibi } from './alibi-process.ts'

/** What only the operator may ever read. */
export const SETUP_SECRETS = {
  stripe: 'sk_test_KeyThatSetupIsGiven',
  resend: 're_KeyThatSetupIsGiven',
} as const

export type SetupRun = Awaited<ReturnType<typeof openSetupRun>>

/** A folder in which `setup` is run, and the providers that it asks. Hold it with `await using`. */
export async function openSetupRun({ stripeKey = SETUP_SECRETS.stripe as string } = {}) {
  const temporary = openTemporaryFolder()
  const folder = temporary.path
  const envFile = join(folder, 'alibi.env')
  const stripeKeyFile = join(folder, 'stripe-key')
  const resendKeyFile = join(folder, 'resend-key')
  writeFileSync(stripeKeyFile, `${stripeKey}\n`)
  writeFileSync(resendKeyFile, `${SETUP_SECRETS.resend}\n`)
  const mailbox = startMailbox()
  mailbox.domains.push({ name: 'alibi.example', status: 'verified' })
  const double = await startStripeDouble({ webhookSecret: 'whsec_unused', secretKey: stripeKey })
  /** Where the providers are, and a comment and a line that setup knows nothing of. */
  const before = [
    '# My notes',
    `STRIPE_API_URL=${double.url}`,
    `RESEND_BASE_URL=${mailbox.url}`,
    'RATE_LIMIT_AUTH=7/15m',
    '',
  ].join('\n')

  return {
    folder,
    envFile,
    stripeKeyFile,
    double,
    mailbox,
    before,
    /** All that has no default. */
    flags: [
      '--public-url',
      'https://alibi.invalid',
      '--email-from',
      'Alibi <hello@alibi.example>',
      '--stripe-key-file',
      stripeKeyFile,
      '--resend-key-file',
      resendKeyFile,
    ],
    begin: () => writeFileSync(envFile, before),
    run: (...parameters: readonly string[]) =>
      runAlibi({
        command: [...FROM_SOURCE, 'setup', '--env-file', envFile, ...parameters],
        cwd: folder,
        env: {},
      }),
    /** As `run`, for one that is killed on the way. */
    start: (...parameters: readonly string[]) =>
      Bun.spawn([...FROM_SOURCE, 'setup', '--env-file', envFile, ...parameters], {
        cwd: folder,
        env: {},
        stdio: ['ignore', 'ignore', 'ignore'],
      }),
    /** Resolves once Stripe was asked for that. */
    changed: (route: string) => until(`Stripe is asked: ${route}`, () => double.count(route) > 0),
    text: () => readFileSync(envFile, 'utf8'),
    setting: (name: string) =>
      new RegExp(`^${name}="?(.*?)"?$`, 'm').exec(readFileSync(envFile, 'utf8'))?.[1],
    /** Every file below the folder with its bytes, mode and time of change. */
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => {
          const path = join(parentPath, name)
          const { mode, mtimeNs } = statSync(path, { bigint: true })
          return { path, mode: mode.toString(8), mtimeNs, text: readFileSync(path, 'utf8') }
        }),
    endpoints: () => [...double.webhookEndpoints.values()],
    /** How often something was changed at Stripe, but for the doctor's questions for permissions. */
    changes: () =>
      double.requests
        .filter(({ route, method }) => method !== 'GET' && route?.includes('webhook_endpoints'))
        .map(({ route }) => route),
    async [Symbol.asyncDispose]() {
      mailbox.stop()
      await double.stop()
      temporary[Symbol.dispose]()
    },
  }
}
