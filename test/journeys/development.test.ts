import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { until } from '../support/executable/until.ts'
import { client } from '../support/http/client.ts'
import { walkTheWholeWay } from '../support/journey.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { type AlibiProcess, FROM_SOURCE, startAlibi } from '../support/service/alibi-process.ts'
import { openEmptyMigratedDatabase } from '../support/stores/postgres-store.ts'
import { openTemporaryFolder } from '../support/temporary-folder.ts'

const english = builtInContent().in('en')

type Opened = Partial<AsyncDisposable> & { readonly env: Readonly<Record<string, string>> }

/** What a newcomer sets so that it serves from each database: nothing, or where PostgreSQL is, and a secret. */
const DATABASES: readonly (readonly [name: string, open: () => Promise<Opened>])[] = [
  ['sqlite', async () => ({ env: {} })],
  ...(hasPostgres() ? [['postgres', openOnPostgres] as const] : []),
]

async function openOnPostgres(): Promise<Opened> {
  const database = await openEmptyMigratedDatabase()
  const env = {
    DATABASE_URL: database.url,
    JWT_SECRET: 'a secret that is long enough to sign with',
  }
  return { ...database, env }
}

describe.each(DATABASES)('on %s', (_, open) => {
  const folder = openTemporaryFolder()
  let database: Opened
  let alibi: AlibiProcess

  beforeAll(async () => {
    database = await open()
    alibi = await startAlibi({
      command: FROM_SOURCE,
      cwd: folder.path,
      env: {
        APP_ENV: 'development',
        RATE_LIMIT_AUTH: 'off',
        RATE_LIMIT_GENERAL: 'off',
        ...database.env,
      },
    })
  })

  afterAll(async () => {
    await alibi.stop()
    await database[Symbol.asyncDispose]?.()
    folder[Symbol.dispose]()
  })

  /** Presses a button on the sandbox's hosted page. */
  async function press(checkoutUrl: string, action: string) {
    const answer = await fetch(checkoutUrl, {
      method: 'POST',
      body: new URLSearchParams({ action }),
      redirect: 'manual',
    })
    expect([200, 303]).toContain(answer.status)
  }

  /** Proves an address, and opens its payment page. */
  async function checkOut(email: string) {
    const http = client(alibi.url)
    const { body } = await http.post('/auth/verify-email', { email })
    await http.post('/auth/confirm-email', { email, code: body['devCode'] })
    const { body: session } = await http.post('/checkout', { email })
    return { page: String(session['checkoutUrl']), id: String(session['sessionId']) }
  }

  test('a newcomer walks the whole way from source without an account or a key', async () => {
    await walkTheWholeWay({
      url: alibi.url,
      email: 'newcomer@example.com',
      readCode: (answer) => String(answer['devCode']),
      pay: ({ checkoutUrl }) => press(checkoutUrl, 'pay'),
    })
  })

  test('the mail with the code is shown on the console', async () => {
    const answer = await client(alibi.url).post('/auth/verify-email', {
      email: 'console@example.com',
    })
    const code = String(answer.body['devCode'])
    await until('the mail is shown', () => alibi.output().includes(code))
  })

  test('the mails that tell how a payment ended are shown on the console, once each', async () => {
    const { mail_confirmed_subject: confirmed, mail_failed_subject: failed } = english.strings
    const late = await checkOut('told@example.com')
    await press(late.page, 'pay_late')
    await press(late.page, 'money_bounces')
    const failure = `│ To: told@example.com\n│ Subject: ${failed}\n`
    await until('the bad news is shown', () => alibi.output().includes(failure))
    const again = await checkOut('told@example.com')
    await press(again.page, 'pay')
    const confirmation = `│ To: told@example.com\n│ Subject: ${confirmed}\n`
    await until('the payment is confirmed', () => alibi.output().includes(confirmation))

    // A later one comes after all that was to come before.
    await press((await checkOut('later@example.com')).page, 'pay')
    const later = `│ To: later@example.com\n│ Subject: ${confirmed}\n`
    await until('the later one is confirmed', () => alibi.output().includes(later))
    for (const mail of [failure, confirmation, later]) {
      expect(alibi.output().split(mail).length - 1).toBe(1)
    }
  })

  test('a late debit opens access only once the money arrives, and bounced money never', async () => {
    const http = client(alibi.url)
    const hasPremium = async (email: string) =>
      (await http.get(`/auth/check?email=${email}`)).body['hasPremium']

    const late = await checkOut('late@example.com')
    await press(late.page, 'pay_late')
    await http.get(`/payment/success?session_id=${late.id}`)
    expect(await hasPremium('late@example.com')).toBe(false)
    expect((await http.post('/checkout', { email: 'late@example.com' })).body).toEqual({
      error: 'Payment processing',
    })
    await press(late.page, 'money_arrives')
    await http.get(`/payment/success?session_id=${late.id}`)
    expect(await hasPremium('late@example.com')).toBe(true)

    const bounced = await checkOut('bounced@example.com')
    await press(bounced.page, 'pay_late')
    await press(bounced.page, 'money_bounces')
    await http.get(`/payment/success?session_id=${bounced.id}`)
    expect(await hasPremium('bounced@example.com')).toBe(false)
  })
})
