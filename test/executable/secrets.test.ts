import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rulesOf } from '../../interfaces/http/paths.ts'
import {
  openProduction,
  otherCode,
  type Production,
  SECRETS,
} from '../support/executable/production.ts'
import { carriedOut } from '../support/executable/stored.ts'
import { client } from '../support/http/client.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { CHALLENGE, VERIFIER } from '../support/proof-key.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { SMTP_LOGIN, startSmtpDouble } from '../support/smtp-double.ts'
import { signedDelivery } from '../support/stripe/stripe-events.ts'

/*
 * The whole flow with everything that can go wrong on the way, at the most talkative log level; then every byte that
 * Alibi has said or kept is searched for what must not be there.
 */

const BUYER = 'wanda.klarname+tag@geheim-ort.example'
const STRANGER = 'oskar.fremdling@anderswo-ort.example'
/** Parts of the addresses that no other word has. */
const PERSONAL = ['klarname', 'geheim-ort', 'fremdling', 'anderswo-ort']

const CREATE = 'POST /v1/checkout/sessions'

type Answer = {
  readonly path: string
  readonly status: number
  readonly headers: string
  readonly text: string
}

const answers: Answer[] = []
const tokens: string[] = []
let production: Production
let alibi: AlibiProcess

async function ask(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(alibi.url + path, { ...init, method, redirect: 'manual' })
  const headers = JSON.stringify([...response.headers])
  const answer = { path, status: response.status, headers, text: await response.text() }
  answers.push(answer)
  return answer
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return ask('POST', path, {
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Asks for a code, tries two wrong ones, then the right one; keeps the token if there is one. */
async function prove(email: string, path = '/auth/confirm-email') {
  expect((await post('/auth/verify-email', { email })).status).toBe(200)
  const code = production.mailbox.latestCode(email)
  expect((await post(path, { email, code: otherCode(code) })).status).toBe(401)
  expect((await post('/auth/login', { email, code: otherCode(code, 2) })).status).toBe(401)
  const proven = await post(path, { email, code, codeChallenge: CHALLENGE })
  expect(proven.status).toBe(200)
  const { token } = JSON.parse(proven.text)
  if (token) tokens.push(token)
}

function startCheckout(email: string): Promise<Answer> {
  return post('/checkout', { email, codeVerifier: VERIFIER })
}

async function checkOut(email: string): Promise<string> {
  const { status, text } = await startCheckout(email)
  expect(status).toBe(200)
  return JSON.parse(text).sessionId
}

async function walkTheFlow() {
  const { double } = production
  await prove(BUYER)
  const sessionId = await checkOut(BUYER)
  expect(await checkOut(BUYER)).toBe(sessionId)
  const paid = double.pay(sessionId)
  await double.deliverAll()
  for (const event of paid) expect(await double.deliver(event)).toBe(200)
  expect((await ask('GET', `/payment/success?session_id=${sessionId}`)).status).toBe(200)
  expect((await startCheckout(BUYER)).status).toBe(409)
  const back = await post('/auth/token', { email: BUYER, codeVerifier: VERIFIER })
  expect(back.status).toBe(200)
  tokens.push(JSON.parse(back.text).token)
  await prove(BUYER)
  await prove(BUYER, '/auth/login')
  for (const token of tokens) {
    expect((await ask('GET', '/premium-reasons', { headers: bearer(token) })).status).toBe(200)
    expect((await ask('GET', '/i18n', { headers: bearer(token) })).status).toBe(200)
  }
  double.refund(sessionId, { amount: 1 })
  await double.deliverAll()
  await ask('POST', '/auth/logout', { headers: bearer(tokens[0]!) })
  for (const token of tokens) {
    expect((await ask('GET', '/i18n', { headers: bearer(token) })).status).toBe(401)
  }
}

/** Providers that fail, and quote in their answers all that they were sent. */
async function meetOutages() {
  const { double, mailbox } = production
  // Else the confirmation, which the outbox mails within a second, may be what is refused.
  await carriedOut(production)
  mailbox.refuse((mail) => {
    const message = `cannot send ${JSON.stringify(mail)} with ${SECRETS.RESEND_API_KEY}`
    return Response.json({ statusCode: 422, name: 'validation_error', message }, { status: 422 })
  })
  expect((await post('/auth/verify-email', { email: STRANGER })).status).toBe(503)

  await prove(STRANGER)
  const message = `no ${STRANGER} with key ${SECRETS.STRIPE_SECRET_KEY}`
  const error = { type: 'invalid_request_error', message, param: STRANGER, doc_url: STRANGER }
  const headers = { 'content-type': 'application/json', 'request-id': SECRETS.STRIPE_SECRET_KEY }
  double.fault({ status: 400, headers, body: JSON.stringify({ error }) }, { on: CREATE })
  expect((await startCheckout(STRANGER)).status).toBe(503)
  double.fault({ status: 502, headers: {}, body: `<h1>${message}</h1>` }, { times: 3, on: CREATE })
  expect((await startCheckout(STRANGER)).status).toBe(503)
  double.fault('reset', { times: 3, on: CREATE })
  expect((await startCheckout(STRANGER)).status).toBe(503)
  await checkOut(STRANGER)
}

/** A database that quotes what it does not take, and tables that are gone: nothing that Alibi is prepared for. */
async function meetFaults() {
  await post('/auth/verify-email', { email: STRANGER })
  const code = production.mailbox.latestCode(STRANGER)
  const database = new Database(production.databasePath)
  // The service writes by itself, too.
  database.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
  for (const table of ['otp_mails', 'verifications']) {
    database.run(`CREATE TRIGGER no_${table} BEFORE INSERT ON ${table}
      BEGIN SELECT RAISE(ABORT, 'no room for ' || NEW.email); END`)
  }
  const quoted = [
    await post('/auth/verify-email', { email: STRANGER }),
    await post('/auth/confirm-email', { email: STRANGER, code }),
  ]
  expect(quoted.map(({ status }) => status)).toEqual([500, 500])
  for (const table of ['otp_mails', 'verifications']) database.run(`DROP TRIGGER no_${table}`)
  await post('/auth/verify-email', { email: STRANGER })
  const nextCode = production.mailbox.latestCode(STRANGER)
  const tables = ['otps', 'verifications', 'purchases', 'log_outs', 'refunds']
  for (const table of tables) database.run(`ALTER TABLE ${table} RENAME TO ${table}_gone`)
  const failed = [
    await post('/auth/verify-email', { email: STRANGER }),
    await post('/auth/confirm-email', { email: STRANGER, code: nextCode }),
    await post('/auth/login', { email: STRANGER, code: nextCode }),
    await startCheckout(STRANGER),
    await post('/auth/token', { email: STRANGER, codeVerifier: VERIFIER }),
    await ask('GET', `/auth/check?email=${encodeURIComponent(STRANGER)}`),
    await ask('GET', '/i18n', { headers: bearer(tokens[0]!) }),
  ]
  expect(failed.map(({ status }) => status)).toEqual(failed.map(() => 500))
  for (const table of tables) database.run(`ALTER TABLE ${table}_gone RENAME TO ${table}`)
  database.close()
  expect((await post('/auth/confirm-email', { email: STRANGER, code: nextCode })).status).toBe(200)
}

/** Everything private, put into every place of a request that a client has a say in. */
async function sendHostileInput() {
  const forged = `${tokens[0]!.slice(0, -2)}AA`
  const latest = production.mailbox.latestCode(STRANGER)
  for (const secret of [...Object.values(SECRETS), VERIFIER, tokens[0]!, forged, BUYER, latest]) {
    const escaped = encodeURIComponent(secret)
    const paths = [
      ...[`/${escaped}`, `/auth/${escaped}`, `/assets/${escaped}`, `/sandbox/${escaped}`],
      ...[`/payment/success?session_id=${escaped}`, `/payment/success?session_id=cs_${escaped}`],
      ...[`/auth/check?email=${escaped}`, `/languages?${escaped}=${escaped}`],
    ]
    for (const path of paths) await ask('GET', path, { headers: bearer(secret) })
    await ask('GET', '/i18n', { headers: { authorization: `Basic ${secret}`, cookie: secret } })
    await ask('PATCH', '/checkout', {
      headers: { 'x-forwarded-for': secret, 'user-agent': secret },
    })
    await ask('GET', '/premium-reasons', {
      headers: { origin: `https://${escaped}`, 'x-request-id': secret, 'accept-language': secret },
    })
    await post('/auth/verify-email', `{"email": "${secret}`)
    await post('/auth/verify-email', { email: [secret], lang: secret })
    await post('/auth/confirm-email', { email: BUYER, code: { [secret]: secret } })
    await post('/auth/confirm-email', { email: `${secret}@`, code: secret })
    await post('/auth/login', { email: secret, code: secret })
    await post('/auth/token', { email: BUYER, codeVerifier: secret })
    await post('/auth/token', { email: BUYER, codeVerifier: `${secret}!` })
    await post('/checkout', [secret], { 'content-type': `text/${escaped}` })
    await post('/checkout', secret.repeat(70_000 / secret.length + 1))
    await post('/webhook/stripe', { secret }, { 'stripe-signature': `t=1,v1=${secret}` })
    const { payload, signature } = await signedDelivery(
      { id: secret, type: secret, secret },
      {
        secret: SECRETS.STRIPE_WEBHOOK_SECRET,
        at: new Date(),
      },
    )
    await post('/webhook/stripe', new TextDecoder().decode(payload), {
      'stripe-signature': signature,
    })
  }
}

beforeAll(async () => {
  production = await openProduction()
  alibi = await production.start({ env: { ...production.settings, LOG_LEVEL: 'debug' } })
  await walkTheFlow()
  await meetOutages()
  await meetFaults()
  await sendHostileInput()
})

afterAll(() => production[Symbol.asyncDispose]())

/** Ids of others that are random digits and letters may hold anything, a code too. */
function withoutRandomIds(text: string): string {
  return text
    .replace(/\b(?:cs_test|pi|re|evt)_[0-9a-f]{32}/g, '')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')
}

/** Every code that was mailed: only the mails that bring one begin with it. */
function codes(): string[] {
  const subjects = production.mailbox.mails.map(({ subject }) => subject)
  return [...new Set(subjects.flatMap((subject) => /^[0-9]{6}/.exec(subject) ?? []))]
}

/** Which of what nobody may know stands in the text. */
function findSecrets(text: string): string[] {
  const signatures = tokens.map((token) => token.split('.')[2]!)
  const secrets = [...Object.values(SECRETS), VERIFIER, ...tokens, ...signatures, ...codes()]
  const searched = withoutRandomIds(text)
  return secrets.filter((secret) => searched.includes(secret))
}

function findAddresses(text: string): string[] {
  return PERSONAL.filter((part) => text.toLowerCase().includes(part))
}

/** Whether the log only counts it: a request to a path without a rate limit, and what a limit refuses. */
function isCounted({ path, status }: Answer): boolean {
  if (status >= 500 || (status === 200 && path.startsWith('/webhook/'))) return false
  return status === 429 || rulesOf(path.split('?')[0]!).policy === null
}

/** The bytes of every file that Alibi has written. */
function databaseBytes(): Record<string, string> {
  const files = readdirSync(production.state).toSorted()
  return Object.fromEntries(
    files.map((name) => [name, readFileSync(join(production.state, name), 'latin1')]),
  )
}

describe('after the whole flow and everything that can go wrong', () => {
  test('there is something to find, and it is found where it may be', () => {
    expect(codes().length).toBeGreaterThanOrEqual(5)
    expect(tokens.length).toBe(3)
    const statuses = new Set(answers.map(({ status }) => status))
    for (const status of [200, 400, 401, 404, 409, 413, 415, 500, 503]) {
      expect(statuses).toContain(status)
    }

    const sent = production.mailbox.mails.map(({ text }) => text).join('\n')
    expect(findSecrets(sent).toSorted()).toEqual(codes().toSorted())
    const answered = answers.map(({ text }) => text).join('\n')
    expect(findSecrets(answered).length).toBe(2 * tokens.length)
    expect(findAddresses(answered)).not.toEqual([])
  })

  test('no error tells anything private, nor does any header', () => {
    const errors = answers.filter(({ status }) => status >= 400)
    expect(errors.length).toBeGreaterThan(100)
    const said = [...errors.map(({ text }) => text), ...answers.map(({ headers }) => headers)]
    expect(findSecrets(said.join('\n'))).toEqual([])
    expect(findAddresses(said.join('\n'))).toEqual([])
  })

  test('the payment page tells a buyer who comes back nothing private', async () => {
    const [session] = production.double.sessions.values()
    const { text } = await ask('GET', `/payment/success?session_id=${session?.id}`)
    expect([...findSecrets(text), ...findAddresses(text)]).toEqual([])
  })

  test('the files on disk hold addresses, purchases and challenges, and no code, token, verifier or key', () => {
    const files = databaseBytes()
    expect(Object.keys(files)).toEqual(['alibi.db', 'alibi.db-shm', 'alibi.db-wal'])
    const everything = Object.values(files).join('\n')
    const purchase = [...production.double.sessions.values()][0]?.client_reference_id
    expect(everything).toContain(String(purchase))
    expect(everything).toContain(BUYER)
    expect(everything).toContain(CHALLENGE)
    expect(findSecrets(everything)).toEqual([])
  })

  test('the log tells of purchases and requests, and nothing private', async () => {
    // Only at its end is all of it certain to be here.
    expect(await alibi.stop()).toBe(0)
    const log = alibi.output()
    const purchase = [...production.double.sessions.values()][0]?.client_reference_id
    expect(log).toContain(String(purchase))
    for (const { headers } of answers.filter((answer) => !isCounted(answer))) {
      const id = /\["x-request-id","([^"]+)"\]/.exec(headers)?.[1]
      expect(log).toContain(id ?? 'an answer without an id')
    }
    expect(findSecrets(log)).toEqual([])
    expect(findAddresses(log)).toEqual([])
  })

  test('nor when it has stopped, nor when it was killed', async () => {
    const stopped = databaseBytes()
    expect(Object.keys(stopped)).toEqual(['alibi.db'])
    expect(stopped['alibi.db']).toContain(BUYER)
    expect(findSecrets(String(stopped['alibi.db']))).toEqual([])

    alibi = await production.start()
    await prove(BUYER)
    await alibi.stop('SIGKILL')
    const killed = Object.values(databaseBytes()).join('\n')
    expect(killed).toContain(BUYER)
    expect(findSecrets(killed)).toEqual([])
  })
})

test('a mail server that repeats a password, in whatever way, brings it neither into the log nor into a command', async () => {
  const { user, password } = SMTP_LOGIN
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const repeated = [
    password,
    encodeURIComponent(password),
    base64(password),
    base64(`\0${user}\0${password}`),
  ]
  const server = await startSmtpDouble({ login: true })
  const { RESEND_API_KEY: _, ...others } = production.settings
  const env = { ...others, SMTP_URL: server.url }
  const serving = await production.start({ env })
  const said: string[] = []
  for (const words of repeated) {
    server.fault('sender', { status: 550, words: `no: ${words}` }, { times: Infinity })
    const { status } = await client(serving.url).post('/auth/verify-email', { email: STRANGER })
    expect(status).toBe(503)
    const { stdout, stderr } = await production.run(['doctor', '--mail-to', STRANGER], env)
    said.push(stdout, stderr)
  }
  await serving.stop()
  await server.stop()
  said.push(serving.output())
  for (const words of repeated) expect(said.join('\n')).not.toContain(words)
  expect(said.join('\n')).toContain('550 no: […]')
})
