import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Finding } from '../../application/doctor/finding.ts'
import { ENDPOINT_EVENT_TYPES } from '../../infrastructure/stripe/events.ts'
import {
  buyer,
  openProduction,
  type Production,
  SECRETS,
} from '../support/executable/production.ts'
import { change } from '../support/executable/stored.ts'
import { type ReverseProxy, startReverseProxy } from '../support/http/reverse-proxy.ts'
import { refusal } from '../support/mailbox.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { UNAUTHORIZED } from '../support/stripe-double/faults.ts'

const DOMAIN = 'alibi.example'
const BUYER = 'secretive-buyer@example.com'

let production: Production
let alibi: AlibiProcess
let proxy: ReverseProxy
let settings: Record<string, string>

beforeAll(async () => {
  production = await openProduction()
  alibi = await production.start({
    env: { ...production.settings, TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_GENERAL: '1000/1m' },
  })
  proxy = startReverseProxy(alibi.url)
  settings = {
    ...production.settings,
    PORT: new URL(alibi.url).port,
    PUBLIC_URL: proxy.url,
    TRUSTED_PROXIES: '127.0.0.1',
    RATE_LIMIT_GENERAL: '1000/1m',
    RATE_LIMIT_AUTH: '5/15m',
    RATE_LIMIT_PREMIUM: '30/1m',
    BACKUP_DIR: join(production.folder, 'backups'),
  }
  await buyer(alibi, production, BUYER).buy()
  mkdirSync(join(production.folder, 'backups'))
  const minutes = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  await production.run(['backup', join(production.folder, 'backups', `alibi-${minutes}.db`)])
})
afterAll(async () => {
  proxy.stop()
  await production[Symbol.asyncDispose]()
})

beforeEach(() => {
  const { double, mailbox } = production
  double.addWebhookEndpoint({
    url: `${proxy.url}/webhook/stripe`,
    enabled_events: [...ENDPOINT_EVENT_TYPES],
  })
  mailbox.domains.push({ name: DOMAIN, status: 'verified' })
})
afterEach(() => {
  const { double, mailbox } = production
  double.clearFaults()
  double.webhookEndpoints.clear()
  mailbox.domains.length = 0
  proxy.forwardedFor('sets')
  proxy.answer(null)
})

const run = (parameters: readonly string[] = [], env: Record<string, string> = {}) =>
  production.run(['doctor', ...parameters], { ...settings, ...env })

/** What was found, but for what is well. */
async function troubles(env: Record<string, string> = {}, parameters: readonly string[] = []) {
  const outcome = await run([...parameters, '--json'], env)
  expectNoSecret(outcome)
  const { exitCode, stdout } = outcome
  const { checks, ok } = JSON.parse(stdout) as { checks: readonly Finding[]; ok: boolean }
  expect(ok).toBe(checks.every(({ level }) => level !== 'failed'))
  const found = checks
    // A live key is never sent to anything but Stripe.
    .filter(({ level, text }) => level !== 'ok' && !text.includes('test key'))
    .map(({ name, level, text }) => `${level} ${name}: ${text}`)
  return { exitCode, found }
}

function expectNoSecret({ stdout, stderr }: { stdout: string; stderr: string }) {
  for (const secret of [...Object.values(SECRETS), BUYER]) {
    expect(stdout + stderr).not.toContain(secret)
  }
}

describe('an installation that is well', () => {
  test('is a line for each thing, and exit code 0', async () => {
    const outcome = await run()
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
    const lines = outcome.stdout.trimEnd().split('\n')
    const expected = [
      /^ok {7}settings {4}all there, for production, for http:/,
      /^warning {2}settings {4}STRIPE_SECRET_KEY is a test key/,
      /^ {2}-> for sales, use the live key/,
      /^ok {7}content {5}the built-in one$/,
      /^ok {7}database {4}\/.+\/alibi\.db, .+, whole, schema \d{4}_\w+$/,
      /^ok {7}disk {8}\d.* free$/,
      /^ok {7}purchases {3}none waits for you$/,
      /^ok {7}outbox {6}nothing is stuck$/,
      /^ok {7}backups {5}the newest is \d+ min old, /,
      /^ok {7}clock {7}right, as 127\.0\.0\.1:\d+ tells the time$/,
      /^ok {7}stripe {6}the key works, in test mode$/,
      /^ok {7}price {7}made at the checkout/,
      /^ok {7}checkout {4}Stripe makes a payment page: you are the seller, no tax is computed, no invoice$/,
      /^ok {7}webhook {5}http:.+\/webhook\/stripe is enabled, and listens to all that is needed$/,
      /^ok {7}mail {8}the key works, and alibi\.example is verified$/,
      /^ok {7}service {5}ready at http:\/\/127\.0\.0\.1:\d+$/,
      /^ok {7}public url {2}http:.+ leads to the service, which is ready$/,
      /^ok {7}proxy {7}a forged X-Forwarded-For is not believed$/,
      /^$/,
      /^0 failed, 1 warning\.$/,
    ]
    expect(lines).toEqual(expected.map((line) => expect.stringMatching(line)))
    expectNoSecret(outcome)
  })

  test('is left as it is, also where the service was killed', async () => {
    const folder = join(production.folder, 'killed')
    mkdirSync(folder)
    for (const name of readdirSync(production.state)) {
      copyFileSync(join(production.state, name), join(folder, name))
    }
    // What is in memory that processes share is not left behind by a machine that has lost its power.
    rmSync(join(folder, 'alibi.db-shm'), { force: true })
    const photograph = () =>
      readdirSync(folder)
        .filter((name) => !name.endsWith('-shm'))
        .map((name) => [name, Bun.hash(readFileSync(join(folder, name)))])
    const before = photograph()
    expect(before.map(([name]) => name)).toContain('alibi.db-wal')
    const { exitCode, found } = await troubles({
      DATABASE_URL: `sqlite:${join(folder, 'alibi.db')}`,
    })
    expect({ exitCode, found }).toEqual({ exitCode: 0, found: [] })
    expect(photograph()).toEqual(before)
  })

  test('is also one before the first start, which it does not do', async () => {
    const state = join(production.folder, 'not-yet')
    const own = { DATABASE_URL: `sqlite:${join(state, 'alibi.db')}`, PORT: '1' }
    const { exitCode, found } = await troubles(own)
    expect(exitCode).toBe(0)
    expect(found).toEqual([
      `warning database: there is none at ${join(state, 'alibi.db')} yet`,
      'warning service: nothing listens at http://127.0.0.1:1',
      `warning public url: ${proxy.url} leads to an Alibi that is ready, and not to http://127.0.0.1:1, where nothing listens`,
    ])
    expect(readdirSync(production.folder)).not.toContain('not-yet')
  })
})

describe('each trouble by itself', () => {
  test.each<[string, () => void, Record<string, string>, RegExp]>([
    [
      'a key that Stripe refuses',
      () => production.double.fault(UNAUTHORIZED, { times: 99 }),
      {},
      /^failed stripe: Stripe refuses STRIPE_SECRET_KEY/,
    ],
    [
      'a price that nobody knows',
      () => {},
      { STRIPE_PRICE_ID: 'price_nobody' },
      /^failed price: .+no price_nobody/,
    ],
    [
      'no webhook endpoint',
      () => production.double.webhookEndpoints.clear(),
      {},
      /^warning webhook: Stripe cannot reach http:\/\/127/,
    ],
    [
      'a key that Resend refuses',
      () => production.mailbox.answerDomains(() => refusal(403, 'invalid_api_key')),
      {},
      /^failed mail: Resend refuses RESEND_API_KEY \(HTTP 403\)/,
    ],
    [
      'a domain that Resend does not know',
      () => void production.mailbox.domains.pop(),
      {},
      /^failed mail: Resend does not know alibi\.example/,
    ],
    ['a service that is not at PORT', () => {}, { PORT: '1' }, /^warning service: nothing listens/],
    [
      'another program behind PUBLIC_URL',
      () => proxy.answer(() => new Response('It works!')),
      {},
      /^failed public url: what answers at .+ is not Alibi \(HTTP 200\)/,
    ],
    [
      'a PUBLIC_URL without TLS where TLS should be',
      () => {},
      { PUBLIC_URL: 'https://127.0.0.1:PROXY' },
      /^failed public url: what answers at .+ does not speak TLS/,
    ],
    [
      'a proxy that passes on what visitors make up',
      () => proxy.forwardedFor('passes'),
      {},
      /^failed proxy: whoever sends an X-Forwarded-For of their own is believed/,
    ],
    [
      'a small plan of mails',
      () => {},
      { MAIL_LIMIT: '90/1d' },
      /^warning settings: MAIL_LIMIT lets 90 mails/,
    ],
    [
      'a runtime that obeys its surroundings',
      () => {},
      { BUN_OPTIONS: '--smol' },
      /^warning environment: BUN_OPTIONS/,
    ],
    ['no backups', () => {}, { BACKUP_DIR: '' }, /^warning backups: BACKUP_DIR is not set/],
    [
      'a proxy that cannot be told from a machine that is trusted itself',
      () => proxy.forwardedFor('passes'),
      { TRUSTED_PROXIES: '127.0.0.0/8' },
      /^skipped proxy: it cannot be told from this machine/,
    ],
  ])('%s', async (_, arrange, env, line) => {
    arrange()
    const own = Object.entries(env).map(([name, value]) => [
      name,
      value.replace('PROXY', new URL(proxy.url).port),
    ])
    const { exitCode, found } = await troubles(Object.fromEntries(own))
    expect(found).toContainEqual(expect.stringMatching(line))
    const hasFailed = found.some((one) => one.startsWith('failed'))
    expect(exitCode).toBe(hasFailed ? 1 : 0)
  })

  test('a proxy that drops what visitors make up, or appends to it, is none', async () => {
    for (const way of ['drops', 'appends'] as const) {
      proxy.forwardedFor(way)
      expect(await troubles()).toEqual({ exitCode: 0, found: [] })
    }
  })
})

describe('the database', () => {
  /** A copy that something has happened to, beside the one that is served. */
  async function troublesOf(
    name: string,
    damage: (database: { path: string; sql: (text: string) => void }) => void,
  ) {
    const databasePath = join(production.folder, `${name}.db`)
    await production.run(['backup', databasePath])
    const place = { databasePath, folder: production.folder }
    damage({ path: databasePath, sql: (text) => change(place, text) })
    return troubles({ DATABASE_URL: `sqlite:${databasePath}` })
  }

  test('that is older is a warning with the command, and stays as it is', async () => {
    const { exitCode, found } = await troublesOf('older', ({ sql }) =>
      sql("DELETE FROM schema_migrations WHERE name >= '0004'"),
    )
    expect(found).toEqual([
      expect.stringMatching(/^warning database: .+older than this executable/),
    ])
    expect(exitCode).toBe(0)
    const again = await troubles({ DATABASE_URL: `sqlite:${join(production.folder, 'older.db')}` })
    expect(again.found).toEqual(found)
  })

  test('with work for the operator is a warning that names no buyer', async () => {
    const { found } = await troublesOf('work', ({ sql }) => {
      sql("UPDATE outbox SET state = 'given_up', due_at = NULL, ended_at = 1")
      sql(`INSERT INTO purchases
        (id, email, language, price_amount, price_currency, live, state, created_at, expires_at,
         review_reason, amount_received, payment_intent_id)
        VALUES ('01900000-0000-7000-8000-000000000001', '${BUYER}', 'en', 400, 'eur', 0, 'review', 1, 2, 'amount', 300, 'pi_1')`)
    })
    expect(found).toEqual([
      expect.stringMatching(/^warning purchases: 1 waits for you/),
      expect.stringMatching(/^warning outbox: mails or refunds were given up/),
    ])
  })
})

describe('wrong settings', () => {
  test('are told all at once, and exit with 78; what has nothing to do with them is looked at', async () => {
    const { exitCode, found } = await troubles({ JWT_SECRET: 'short', RESEND_API_KEY: '' })
    expect(exitCode).toBe(78)
    expect(found).toEqual([
      expect.stringMatching(/^failed settings: JWT_SECRET must be/),
      expect.stringMatching(/^failed settings: RESEND_API_KEY is required/),
      'skipped mail: its settings have to be right first',
    ])
  })

  test('leave nothing to look at where there is none', async () => {
    const outcome = await production.run(['doctor'], { DATABASE_URL: 'mysql://x' })
    expect(outcome).toMatchObject({ exitCode: 78, stderr: '' })
    expect(outcome.stdout).toMatch(/^failed {3}settings {4}PUBLIC_URL is required/m)
    expect(outcome.stdout).toMatch(/^skipped {2}database/m)
    expect(outcome.stdout).not.toContain('mysql')
  })

  test('in a content folder are failures, and what only looks wrong is told whole', async () => {
    const folder = join(production.folder, 'content')
    mkdirSync(folder)
    const reasons = Array.from(
      { length: 30 },
      (_, index) => `It's excuse number ${index}${'!'.repeat(index)} of mine.`,
    )
    writeFileSync(join(folder, 'en.json'), JSON.stringify({ reasons }))
    const { exitCode, found } = await troubles({ CONTENT_DIR: folder })
    expect(exitCode).toBe(0)
    expect(
      found.filter((line) => line.startsWith('warning content: en.json')).length,
    ).toBeGreaterThan(20)
    writeFileSync(join(folder, 'en.json'), '{')
    const broken = await troubles({ CONTENT_DIR: folder })
    expect(broken.exitCode).toBe(78)
    expect(broken.found).toContainEqual(
      expect.stringMatching(/^failed settings: CONTENT_DIR: en\.json/),
    )
  })
})

test('a settings file or a secret that others may read is a warning', async () => {
  const file = join(production.folder, 'doctor.env')
  const secret = join(production.folder, 'secret')
  writeFileSync(secret, SECRETS.JWT_SECRET, { mode: 0o640 })
  writeFileSync(file, `JWT_SECRET_FILE=${secret}\n`, { mode: 0o600 })
  const { JWT_SECRET, ...rest } = settings
  const look = async () => {
    const { stdout } = await production.run(['doctor', '--offline', '--env-file', file], rest)
    return stdout.split('\n').filter((line) => line.includes(' files '))
  }
  expect(await look()).toEqual([])
  chmodSync(file, 0o644)
  chmodSync(secret, 0o660)
  expect(await look()).toEqual([
    expect.stringContaining(`--env-file: others on this machine may read ${file}`),
    expect.stringContaining(`JWT_SECRET_FILE: others on this machine may read or change ${secret}`),
  ])
})

describe('--mail-to', () => {
  test('sends one mail, and does not repeat the address', async () => {
    const { mailbox } = production
    const sent = mailbox.delivered.length
    const outcome = await run(['--mail-to', 'operator@example.com'])
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
    expect(outcome.stdout).toMatch(/^ok {7}mail {8}a test mail is on its way/m)
    expect(outcome.stdout).not.toContain('operator@')
    expect(mailbox.delivered.slice(sent)).toMatchObject([
      { to: 'operator@example.com', from: production.settings.EMAIL_FROM },
    ])
  })

  test('fails where it is refused', async () => {
    production.mailbox.refuse(() =>
      refusal(403, 'validation_error', 'not for operator@example.com'),
    )
    const { exitCode, found } = await troubles({}, ['--mail-to', 'operator@example.com'])
    expect(exitCode).toBe(1)
    expect(found).toEqual(['failed mail: Resend refuses the test mail (HTTP 403)'])
  })
})

test('in development with a test key and no PUBLIC_URL, the endpoint that is missing is no failure', async () => {
  const { PUBLIC_URL: _, ...rest } = settings
  production.double.webhookEndpoints.clear()
  const { stdout } = await production.run(['doctor'], { ...rest, APP_ENV: 'development' })
  const webhook = stdout.split('\n').filter((line) => /^\w+ +webhook /.test(line))
  const here = `http://localhost:${rest['PORT']}/webhook/stripe`
  expect(webhook.join()).toMatch(/^warning +webhook +Stripe cannot reach /)
  expect(stdout).toContain(`stripe listen --forward-to ${here}`)
})

test('--offline asks nobody, and says of what nothing is known', async () => {
  let connections = 0
  const listener = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const everybody = {
    STRIPE_API_URL: url,
    RESEND_BASE_URL: url,
    PUBLIC_URL: url,
    PORT: String(port),
    HTTP_PROXY: url,
  }
  try {
    const { exitCode, found } = await troubles(everybody, ['--offline'])
    expect(connections).toBe(0)
    expect(exitCode).toBe(0)
    expect(found.filter((line) => !line.startsWith('skipped clock'))).toEqual(
      ['stripe', 'price', 'checkout', 'webhook', 'mail', 'service', 'public url', 'proxy'].map(
        (name) => `skipped ${name}: not looked at (--offline)`,
      ),
    )
    const online = await troubles(everybody)
    expect(connections).toBeGreaterThan(4)
    expect(online.exitCode).toBe(1)
  } finally {
    listener.close()
  }
})

test('operations/README.md names the events that an endpoint has to listen to', () => {
  const page = readFileSync(join(import.meta.dir, '../../operations/README.md'), 'utf8')
  const [, listed = ''] = /for the events ([\s\S]+?)\. Its signing secret/.exec(page) ?? []
  const named = [...listed.matchAll(/`([a-z_.]+)`/g)].map(([, name]) => name)
  expect(named.toSorted()).toEqual([...ENDPOINT_EVENT_TYPES].toSorted())
})
