import { beforeAll, expect } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { client } from '../http/client.ts'
import { startMailbox } from '../mailbox.ts'
import { type AlibiProcess, runAlibi, startAlibi } from '../service/alibi-process.ts'
import { startStripeDouble } from '../stripe-double/stripe-double.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { builtExecutable } from './built.ts'
import { until } from './until.ts'

/** The values that only the operator may ever read. */
export const SECRETS = {
  JWT_SECRET: 'jQ9vXw2mT7rK4bN8pL1sZ6dF3hG5cY0a',
  STRIPE_SECRET_KEY: 'sk_test_51KeyOfTheExecutableTests',
  STRIPE_WEBHOOK_SECRET: 'whsec_SecretOfTheExecutableTests',
  RESEND_API_KEY: 're_KeyOfTheExecutableTests',
} as const

/** So that building it is not on the time of the first test of a run. */
beforeAll(async () => void (await builtExecutable()))

export type Production = Awaited<ReturnType<typeof openProduction>>

/**
 * All that the executable needs in production: a folder of its own, a Stripe double and a mailbox. Its database is a
 * file in the folder, if it is not told of another. Whatever was started here ends with it, so hold it with
 * `await using`.
 */
export async function openProduction({ databaseUrl }: { databaseUrl?: string } = {}) {
  const executable = await builtExecutable()
  const temporary = openTemporaryFolder()
  const folder = temporary.path
  const state = join(folder, 'state')
  mkdirSync(state)
  const databasePath = join(state, 'alibi.db')
  const mailbox = startMailbox()
  const double = await startStripeDouble({
    webhookSecret: SECRETS.STRIPE_WEBHOOK_SECRET,
    secretKey: SECRETS.STRIPE_SECRET_KEY,
  })
  const settings = {
    PUBLIC_URL: 'https://alibi.example',
    DATABASE_URL: databaseUrl ?? `sqlite:${databasePath}`,
    ...SECRETS,
    STRIPE_API_URL: double.url,
    RESEND_BASE_URL: mailbox.url,
    EMAIL_FROM: 'Alibi <hello@alibi.example>',
    RATE_LIMIT_GENERAL: 'off',
    RATE_LIMIT_AUTH: 'off',
    RATE_LIMIT_PREMIUM: 'off',
    MAIL_LIMIT: 'off',
  }
  const started: AlibiProcess[] = []
  const end = new AbortController()

  /** Starts `serve`, and tells Stripe where it is. */
  async function start({
    command = [executable],
    cwd = folder,
    env = settings,
  }: {
    command?: readonly string[]
    cwd?: string
    env?: Record<string, string>
  } = {}): Promise<AlibiProcess> {
    const alibi = await startAlibi({ command, cwd, env, signal: end.signal })
    started.push(alibi)
    double.deliverTo(`${alibi.url}/webhook/stripe`)
    return alibi
  }

  return {
    executable,
    folder,
    /** Where the database is, and nothing else. */
    state,
    databasePath,
    mailbox,
    double,
    settings,
    start,
    async restartKilled(alibi: AlibiProcess): Promise<AlibiProcess> {
      await alibi.stop('SIGKILL')
      return start()
    },
    /** Resolves once Stripe was asked so often, whether it has answered or not. The service itself asks, too. */
    asked: (route: string, times = 1) =>
      until(`Stripe is asked ${times} times: ${route}`, () => double.count(route) >= times),
    /** Runs a command to its end. */
    run: (parameters: readonly string[], env: Record<string, string> = settings) =>
      runAlibi({ command: [executable, ...parameters], cwd: folder, env }),
    async runJson(parameters: readonly string[]) {
      const { exitCode, stdout } = await this.run([...parameters, '--json'])
      return { exitCode, json: JSON.parse(stdout) }
    },
    async [Symbol.asyncDispose]() {
      end.abort()
      await Promise.all(started.map((alibi) => alibi.stop('SIGKILL')))
      mailbox.stop()
      await double.stop()
      temporary[Symbol.dispose]()
    },
  }
}

/** A buyer of a running Alibi, who takes one step at a time; steps that are refused fail the test. */
export function buyer(
  { url }: Pick<AlibiProcess, 'url'>,
  { mailbox, double }: Production,
  email: string,
) {
  const http = client(url)

  async function mailCode(): Promise<string> {
    const answer = await http.post('/auth/verify-email', { email })
    expect(answer).toMatchObject({ status: 200, body: { success: true } })
    return mailbox.latestCode(email)
  }

  const confirm = (code: string) => http.post('/auth/confirm-email', { email, code })

  /** Proves the address. The token is there for an address with premium. */
  async function prove(): Promise<{ token?: string }> {
    const answer = await confirm(await mailCode())
    expect(answer).toMatchObject({ status: 200, body: { success: true, email } })
    return answer.body
  }

  async function checkOut(lang?: string): Promise<{ sessionId: string; checkoutUrl: string }> {
    const answer = await http.post('/checkout', { email, ...(lang ? { lang } : {}) })
    expect(answer).toMatchObject({ status: 200, body: { success: true } })
    return {
      sessionId: String(answer.body['sessionId']),
      checkoutUrl: String(answer.body['checkoutUrl']),
    }
  }

  return {
    http,
    email,
    mailCode,
    confirm,
    prove,
    checkOut,
    async hasPremium(): Promise<boolean> {
      const { body } = await http.get(`/auth/check?email=${encodeURIComponent(email)}`)
      return body['hasPremium'] === true
    },
    /** From an unknown address to a token. */
    async buy(): Promise<{ token: string; sessionId: string }> {
      await prove()
      const { sessionId } = await checkOut()
      double.pay(sessionId)
      await deliverAll({ double })
      const { token } = await prove()
      if (token === undefined) throw new Error('paid, and no token')
      return { token, sessionId }
    },
  }
}

/** The answer, asked for again while there is none but that the service is unavailable just now. */
export async function insistOn<Answer extends { readonly status: number }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  let answer = await ask()
  await until('it is available', async () => {
    if (answer.status === 503) answer = await ask()
    return answer.status !== 503
  })
  return answer
}

/** Sends the webhook every event that it has not received yet. */
export async function deliverAll({ double }: Pick<Production, 'double'>): Promise<void> {
  expect(new Set(await double.deliverAll())).toEqual(new Set([200]))
}

/** A code that is not this one. */
export function otherCode(code: string, distance = 1): string {
  return String((Number(code) + distance) % 1_000_000).padStart(6, '0')
}
