import { afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from 'emulate'
import { parseEmail } from '../../../domain/email.ts'
import { addressTest } from '../../../infrastructure/config/network-settings.ts'
import { loadPartialConfig } from '../../../infrastructure/config/partial-config.ts'
import { probeBackups } from '../../../infrastructure/doctor/backups.ts'
import { probeClock } from '../../../infrastructure/doctor/clock.ts'
import { findExposedFiles } from '../../../infrastructure/doctor/permissions.ts'
import { probeReach } from '../../../infrastructure/doctor/reach.ts'
import { probeResend } from '../../../infrastructure/doctor/resend.ts'
import { probeStripe } from '../../../infrastructure/doctor/stripe.ts'
import { codeOf } from '../../../infrastructure/files/node-errors.ts'
import { webhookUrls } from '../../../interfaces/composition/compose-providers.ts'
import { fixedClock, NOON } from '../../support/fakes.ts'
import { refusal, startMailbox } from '../../support/mailbox.ts'
import {
  type Fault,
  FORBIDDEN,
  SERVER_ERROR,
  UNAUTHORIZED,
} from '../../support/stripe-double/faults.ts'
import { startStripeDouble } from '../../support/stripe-double/stripe-double.ts'

const HOUR_MS = 3_600_000
const TIMEOUT_MS = 150
/** For all the waiting and whatever the machine does besides. */
const SOON_MS = 3000
/** Long enough for an answer on the same machine, also while that does something else. */
const PATIENCE_MS = 1500

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

function serve(fetch: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
  ends.push(() => server.stop(true))
  return `http://127.0.0.1:${server.port}`
}

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'alibi-checkup-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function quickly<Value>(work: Promise<Value>): Promise<Value> {
  const startedAt = performance.now()
  const value = await work
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS)
  return value
}

describe('a provider that does not answer is given up in time', () => {
  const silent = () => serve(() => new Promise(() => {}))

  test('Stripe', async () => {
    const question = {
      secretKey: 'rk_test_1',
      apiUrl: silent(),
      product: { priceId: 'price_1' },
      webhookUrls: webhookUrls('https://alibi.example'),
      clock: fixedClock(),
      timeoutMs: TIMEOUT_MS,
    }
    const unreachable = { kind: 'unreachable', reason: `no answer after ${TIMEOUT_MS} ms` }
    expect(await quickly(probeStripe(question))).toMatchObject({
      key: unreachable,
      price: { found: unreachable },
      webhook: { listed: unreachable, undelivered: null },
    })
  })

  test('Resend', async () => {
    const question = {
      apiKey: 're_1',
      baseUrl: silent(),
      from: 'Alibi <hello@alibi.example>',
      publicUrl: null,
      mailTo: null,
      timeoutMs: TIMEOUT_MS,
    }
    expect(await quickly(probeResend(question))).toEqual({
      senderDomain: 'alibi.example',
      domains: { kind: 'unreachable', reason: 'no answer within 0.15 s' },
      testMail: null,
    })
  })

  test('the clock of others', async () => {
    const options = { clock: fixedClock(), timeoutMs: TIMEOUT_MS, askSystem: async () => null }
    expect(await quickly(probeClock(silent(), options))).toMatchObject({
      kind: 'system',
      isSynchronized: null,
      reason: expect.stringContaining('does not answer'),
    })
  })

  test('the service and the proxy', async () => {
    const publicUrl = silent()
    const port = Number(new URL(silent()).port)
    const facts = await quickly(
      probeReach({
        publicUrl,
        host: '127.0.0.1',
        port,
        isTrustedProxy: () => false,
        forgedAddresses: ['198.18.0.1', '198.18.0.2'],
        timeoutMs: TIMEOUT_MS,
      }),
    )
    expect(facts).toMatchObject({
      localAnswer: { trouble: 'too_late' },
      publicAnswer: { trouble: 'too_late' },
      proxy: null,
    })
  })
})

describe('the way to the service', () => {
  const forgedAddresses = ['198.18.0.1', '198.18.0.2'] as const
  const WAY = { isTrustedProxy: () => false, forgedAddresses, timeoutMs: 5000 }

  /** What answers as Alibi does, at an address of this machine. */
  function serveAt(hostname: string): number {
    const fetch = () =>
      Response.json({ status: 'ready' }, { headers: { 'X-Request-Id': '1', RateLimit: '"x";r=3' } })
    const server = Bun.serve({ hostname, port: 0, fetch })
    ends.push(() => server.stop(true))
    return Number(server.port)
  }
  test.each(['0.0.0.0', '127.0.0.1'])('is asked straight where HOST is %s', async (host) => {
    const port = serveAt('127.0.0.1')
    const facts = await probeReach({ ...WAY, publicUrl: null, host, port })
    const localUrl = `http://127.0.0.1:${port}`
    expect(facts).toMatchObject({ localUrl, localAnswer: { isAlibi: true }, proxy: null })
  })

  test('is asked straight, in time, where the name servers keep silent', async () => {
    const port = serveAt('127.0.0.1')
    const question = { ...WAY, publicUrl: 'https://alibi.example', host: '127.0.0.1', port }
    const lookUp = () => new Promise<never>(() => {})
    const facts = await quickly(probeReach({ ...question, timeoutMs: PATIENCE_MS, lookUp }))
    expect(facts).toMatchObject({
      localAnswer: { isAlibi: true, status: 200 },
      publicAnswer: { trouble: 'unknown_name', code: 'EAI_AGAIN' },
    })
  })

  test('is not looked at where another program answers with 200', async () => {
    const publicUrl = serve(() => new Response('It works!'))
    expect((await probeReach({ ...WAY, publicUrl, host: '127.0.0.1', port: 1 })).proxy).toBeNull()
  })

  test.each([
    [['127.0.0.1'], false],
    [['127.0.0.16/28'], true],
  ])(
    'is that of a visitor whom %j trusts or not, by an address of its own',
    async (entries, isVisitorTrusted) => {
      if (process.platform !== 'linux') {
        process.stdout.write('not tested here: other addresses of loopback are on Linux alone\n')
        return
      }
      const port = serveAt('127.0.0.1')
      const publicUrl = `http://127.0.0.1:${port}`
      const isTrustedProxy = addressTest(entries)
      const question = { ...WAY, publicUrl, host: '127.0.0.1', port, isTrustedProxy }
      expect((await probeReach(question)).proxy).toMatchObject({ isVisitorTrusted })
    },
  )

  test('is that of a trusted visitor over IPv6, whose loopback is a single address', async () => {
    try {
      const port = serveAt('::1')
      const isTrustedProxy = addressTest(['::1'])
      const question = { ...WAY, publicUrl: `http://[::1]:${port}`, host: '::1', port }
      const { proxy } = await probeReach({ ...question, isTrustedProxy })
      expect(proxy).toMatchObject({ isVisitorTrusted: true })
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' && codeOf(error) !== 'EADDRNOTAVAIL') throw error
      process.stdout.write('not tested here: this machine has no IPv6\n')
    }
  })
})

describe('Stripe', () => {
  async function openDouble(secretKey = 'rk_test_double') {
    const clock = fixedClock()
    const double = await startStripeDouble({ webhookSecret: 'whsec_1', secretKey, clock })
    ends.push(() => double.stop())
    const probe = (product: Parameters<typeof probeStripe>[0]['product'] = PRODUCT) =>
      probeStripe({
        secretKey,
        apiUrl: double.url,
        product,
        webhookUrls: webhookUrls('https://alibi.example'),
        clock,
        timeoutMs: 5000,
      })
    return { double, clock, probe }
  }
  const PRODUCT = { price: { amount: 400, currency: 'eur' }, name: 'Alibi' }

  test('is asked for each permission that a restricted key needs, and names those that it lacks', async () => {
    const { double, probe } = await openDouble()
    expect((await probe()).key).toEqual({
      kind: 'answered',
      value: { unreadable: [], unwritable: [] },
    })
    double.fault(FORBIDDEN, { on: 'GET /v1/disputes' })
    double.fault(FORBIDDEN, { on: 'GET /v1/charges' })
    expect((await probe()).key).toEqual({
      kind: 'answered',
      value: { unreadable: ['Charges', 'Disputes'], unwritable: [] },
    })
  })

  test('is asked whether a restricted key may write, by which nothing changes', async () => {
    const { double, probe } = await openDouble()
    double.fault(FORBIDDEN, { on: 'POST /v1/checkout/sessions/:id/expire' })
    expect((await probe()).key).toEqual({
      kind: 'answered',
      value: { unreadable: [], unwritable: ['Checkout Sessions'] },
    })
    const written = double.requests.filter(({ method }) => method !== 'GET')
    expect(new Set(written.map(({ path }) => path))).toEqual(
      new Set(['/v1/checkout/sessions/cs_of_nobody/expire', '/v1/refunds/re_of_nobody/cancel']),
    )
    expect(double.events).toEqual([])
  })

  test.each<[number, object]>([
    [200, {}],
    [200, { object: 'list', data: null }],
    [429, {}],
    [200, { object: 'list', data: [{}], has_more: true }],
  ])('that answers %d with %j tells nothing', async (status, body) => {
    const { key, webhook } = await probeStripe({
      secretKey: 'sk_test_1',
      apiUrl: serve(() => Response.json(body, { status })),
      product: PRODUCT,
      webhookUrls: webhookUrls('https://alibi.example'),
      clock: fixedClock(),
      timeoutMs: 5000,
    })
    const isList = 'has_more' in body
    expect(key.kind).toBe(isList ? 'answered' : 'unreachable')
    expect(webhook).toMatchObject({
      listed: { kind: 'unreachable' },
      undelivered: isList ? 1 : null,
    })
  })

  test('is asked only once for the rights of a key that has all', async () => {
    const { double, probe } = await openDouble('sk_live_double')
    expect(await probe()).toMatchObject({ isKeyLive: true, price: null })
    expect(double.count('GET /v1/disputes')).toBe(0)
    expect(double.count('GET /v1/checkout/sessions')).toBe(1)
    expect(double.requests.every(({ method }) => method === 'GET')).toBe(true)
    const restricted = await openDouble('rk_live_double')
    expect(await restricted.probe()).toMatchObject({ isKeyLive: true })
  })

  test('tells the endpoints, and where and to what they should listen', async () => {
    const { double, probe } = await openDouble()
    const endpoint = { url: 'https://alibi.example/webhook/stripe', enabled_events: ['*'] }
    double.addWebhookEndpoint(endpoint)
    double.addWebhookEndpoint(endpoint, { status: 'disabled', api_version: '2020-08-27' })
    const { listed, wantedUrls, wantedEvents } = (await probe()).webhook
    const shown = { url: endpoint.url, events: ['*'] }
    expect(listed).toEqual({
      kind: 'answered',
      value: [
        { ...shown, isEnabled: false, apiVersion: '2020-08-27' },
        { ...shown, isEnabled: true, apiVersion: null },
      ],
    })
    const urls = ['stripe', 'payment'].map((name) => `https://alibi.example/webhook/${name}`)
    expect(wantedUrls).toEqual(urls)
    expect(wantedEvents).toContain('refund.updated')
    expect(wantedEvents).not.toContain('charge.refund.updated')
  })

  test.each<[Fault, object]>([
    [UNAUTHORIZED, { kind: 'refused', status: 401 }],
    [SERVER_ERROR, { kind: 'unreachable', reason: 'it answers HTTP 500' }],
    ['reset', { kind: 'unreachable', reason: 'no connection, or an answer that makes no sense' }],
  ])('is told apart by how it fails: %j', async (fault, outcome) => {
    const { double, probe } = await openDouble()
    double.fault(fault, { times: 99 })
    const { key, webhook } = await probe()
    expect(key).toEqual(outcome as typeof key)
    expect(webhook.listed).toEqual(outcome as typeof webhook.listed)
  })

  test('lists the endpoints of more than one page', async () => {
    const { double, probe } = await openDouble()
    for (let index = 0; index < 103; index++) {
      double.addWebhookEndpoint({ url: `https://other.example/${index}`, enabled_events: ['*'] })
    }
    const { listed } = (await probe()).webhook
    expect(listed.kind === 'answered' && listed.value.length).toBe(103)
  })

  test('tells how many notifications of the last day were not taken, but for those under way', async () => {
    const { double, clock, probe } = await openDouble()
    const emit = () => double.emit('refund.created', { id: 're_1', object: 'refund' })
    emit()
    clock.advance(24 * HOUR_MS)
    emit()
    double.markDelivered(emit())
    double.emit('customer.created', { id: 'cus_1', object: 'customer' })
    clock.advance(11 * 60_000)
    emit()
    expect((await probe()).webhook.undelivered).toBe(1)
  })

  test.each<[string, object, object]>([
    [
      'is as it should be',
      {},
      { isActive: true, isOneTime: true, amount: { amount: 400, currency: 'eur' } },
    ],
    ['is not active', { active: false }, { isActive: false }],
    ['recurs', { type: 'recurring' }, { isOneTime: false }],
    ['has no amount of its own', { unit_amount: null }, { amount: null }],
  ])('tells of a price whether it %s', async (_, change, value) => {
    const { double, probe } = await openDouble()
    double.addPrice({ id: 'price_1', amount: 400, currency: 'eur' }, change)
    const { price } = await probe({ priceId: 'price_1' })
    expect(price).toMatchObject({ id: 'price_1', found: { kind: 'answered', value } })
  })

  test('tells of a price that it does not know it', async () => {
    const { price } = await (await openDouble()).probe({ priceId: 'price_2' })
    expect(price).toEqual({ id: 'price_2', found: { kind: 'answered', value: null } })
  })
})

describe('Resend', () => {
  function openMailbox() {
    const mailbox = startMailbox()
    ends.push(() => mailbox.stop())
    const probe = (from = 'hello@Alibi.Example') =>
      probeResend({
        apiKey: 're_1',
        baseUrl: mailbox.url,
        from,
        publicUrl: null,
        mailTo: null,
        timeoutMs: 5000,
      })
    return { mailbox, probe }
  }

  test('tells its domains, beside that of the sender', async () => {
    const { mailbox, probe } = openMailbox()
    mailbox.domains.push({ name: 'alibi.example', status: 'pending' })
    expect(await probe()).toMatchObject({
      senderDomain: 'alibi.example',
      domains: { kind: 'answered', value: [{ name: 'alibi.example', status: 'pending' }] },
    })
  })

  test.each<[string, () => Response, object]>([
    ['a key for sending alone', () => refusal(401, 'restricted_api_key'), { kind: 'sending_only' }],
    [
      'a key that counts no more',
      () => refusal(403, 'invalid_api_key'),
      { kind: 'refused', status: 403 },
    ],
    [
      'an outage',
      () => refusal(500, 'internal_server_error'),
      { kind: 'unreachable', reason: 'it answers HTTP 500' },
    ],
    ['a list that is none', () => Response.json({ data: 'x' }), { kind: 'unreachable' }],
    [
      'a list of something else',
      () => Response.json({ data: [{ id: 1 }] }),
      { kind: 'unreachable' },
    ],
  ])('tells %s from the others', async (_, answer, domains) => {
    const { mailbox, probe } = openMailbox()
    mailbox.answerDomains(answer)
    expect((await probe()).domains).toMatchObject(domains)
  })

  test('is read alike where others play it', async () => {
    const emulator = await createEmulator({ service: 'resend', port: 0 })
    ends.push(() => emulator.close())
    const headers = { authorization: 'Bearer re_1', 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'alibi.example' })
    await fetch(`${emulator.url}/domains`, { method: 'POST', headers, body })
    const question = { apiKey: 're_1', baseUrl: emulator.url, from: 'a@alibi.example' }
    const rest = { publicUrl: null, mailTo: parseEmail('b@example.com'), timeoutMs: 5000 }
    expect(await probeResend({ ...question, ...rest })).toMatchObject({
      domains: { kind: 'answered', value: [{ name: 'alibi.example', status: 'pending' }] },
      testMail: { kind: 'answered', value: null },
    })
  })

  test('refuses a test mail where the key may not send from that domain', async () => {
    const { mailbox } = openMailbox()
    mailbox.refuse(() => refusal(401, 'restricted_api_key'))
    const question = { apiKey: 're_1', baseUrl: mailbox.url, from: 'a@alibi.example' }
    const rest = { publicUrl: null, mailTo: parseEmail('b@example.com'), timeoutMs: 5000 }
    expect((await probeResend({ ...question, ...rest })).testMail).toEqual({
      kind: 'refused',
      status: 401,
    })
  })

  test('that is not there is unreachable', async () => {
    const { mailbox, probe } = openMailbox()
    mailbox.stop()
    expect((await probe()).domains).toEqual({
      kind: 'unreachable',
      reason: 'no connection, or an answer that makes no sense',
    })
  })
})

describe('the clock', () => {
  const dated = (date: string) => serve(() => new Response('', { status: 404, headers: { date } }))
  const options = { clock: fixedClock(), timeoutMs: 5000, askSystem: async () => true }

  test('is compared with the Date of whatever answer comes', async () => {
    const there = new Date(NOON.getTime() + 90_000).toUTCString()
    expect(await probeClock(dated(there), options)).toMatchObject({
      kind: 'compared',
      aheadMs: -90_000,
    })
  })

  test('is compared with the server that is asked, and not with the one to which it redirects', async () => {
    const elsewhere = dated(new Date(NOON.getTime() + 90_000).toUTCString())
    const date = NOON.toUTCString()
    const url = serve(
      () => new Response('', { status: 302, headers: { date, location: elsewhere } }),
    )
    expect(await probeClock(url, options)).toMatchObject({
      aheadMs: 0,
      host: new URL(url).host,
    })
  })

  test('is as the system says where no server can be asked, or none has a date', async () => {
    expect(await probeClock(null, options)).toMatchObject({
      kind: 'system',
      isSynchronized: true,
    })
    expect(await probeClock(dated('soon'), options)).toMatchObject({ isSynchronized: true })
  })
})

describe('backups', () => {
  const probe = (folder: string, databasePath: string | null = null) =>
    probeBackups({ folder, everyMs: 24 * HOUR_MS, keep: 7 }, { clock: fixedClock(), databasePath })

  test('are judged by the newest', () => {
    const folder = openFolder()
    expect(probe(folder)).toMatchObject({
      newest: null,
      trouble: null,
    })
    writeFileSync(join(folder, 'alibi-20260228T120000Z.db'), '12345')
    writeFileSync(join(folder, 'alibi-20260227T120000Z.db'), '1')
    writeFileSync(join(folder, 'alibi-20260301T120000Z.db.sha256'), '1')
    expect(probe(folder)).toMatchObject({
      newest: { ageMs: 24 * HOUR_MS, bytes: 5 },
    })
  })

  test('of a moment that is still to come do not count', () => {
    const folder = openFolder()
    writeFileSync(join(folder, 'alibi-20270301T000000Z.db'), '1')
    expect(probe(folder).newest).toBeNull()
    writeFileSync(join(folder, 'alibi-20260228T120000Z.db'), '12345')
    expect(probe(folder).newest).toMatchObject({ bytes: 5 })
  })

  test('of a folder that is not there yet are none, and of what is no folder a trouble', () => {
    const folder = openFolder()
    expect(probe(join(folder, 'later')).trouble).toBeNull()
    // The service makes the folder, and not the one around it.
    expect(probe(join(folder, 'no', 'later')).trouble).toBe('ENOENT')
    const state = join(folder, 'no')
    expect(probe(join(state, 'later'), join(state, 'alibi.db')).trouble).toBeNull()
    writeFileSync(join(folder, 'file'), '')
    expect(probe(join(folder, 'file')).trouble).toBe('ENOTDIR')
  })

  test('in a folder that the owner of the database cannot write to are a trouble, also for root', () => {
    if (process.getuid?.() !== 0) {
      process.stdout.write('not tested here: only root can give files away\n')
      return
    }
    const folder = openFolder()
    const database = join(folder, 'alibi.db')
    writeFileSync(database, '')
    chownSync(database, 12_345, 12_345)
    chmodSync(folder, 0o755)
    expect(probe(folder, database).trouble).toBe('EACCES')
    expect(probe(join(folder, 'later'), database).trouble).toBe('EACCES')
    chownSync(folder, 12_345, 12_345)
    expect(probe(folder, database).trouble).toBeNull()
  })
})

test('the files with secrets that others get at are found, wherever they are named', () => {
  const folder = openFolder()
  const make = (name: string, mode: number) => {
    const path = join(folder, name)
    writeFileSync(path, 'x')
    chmodSync(path, mode)
    return path
  }
  const envFile = make('alibi.env', 0o644)
  const key = make('key', 0o620)
  make('JWT_SECRET', 0o604)
  make('RESEND_API_KEY', 0o440)
  const env = {
    STRIPE_SECRET_KEY_FILE: key,
    STRIPE_WEBHOOK_SECRET_FILE: join(folder, 'nowhere'),
    RESEND_API_KEY_FILE: '/dev/null',
    CREDENTIALS_DIRECTORY: folder,
  }
  expect(findExposedFiles({ env, envFile })).toEqual([
    { source: '--env-file', path: envFile, isWritable: false },
    { source: 'JWT_SECRET', path: join(folder, 'JWT_SECRET'), isWritable: false },
    { source: 'STRIPE_SECRET_KEY_FILE', path: key, isWritable: true },
  ])
})

describe('settings that are not all right', () => {
  const RIGHT = {
    PUBLIC_URL: 'https://alibi.example',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    RESEND_API_KEY: 're_1',
    EMAIL_FROM: 'a@alibi.example',
    DATABASE_URL: 'sqlite:/x/alibi.db',
  }
  const load = (env: Record<string, string>) => {
    const parts = loadPartialConfig({ env, readFile: () => '' })
    return Object.entries(parts)
      .filter(([, part]) => part === null)
      .map(([name]) => name)
  }

  test.each<[Record<string, string>, string[]]>([
    [{}, []],
    [{ JWT_SECRET: 'short' }, []],
    [{ APP_ENV: 'test' }, []],
    [{ APP_ENV: 'test', PUBLIC_URL: 'http://alibi.example' }, ['network']],
    [{ DATABASE_URL: 'mysql://x' }, ['database']],
    [{ PORT: 'x' }, ['network']],
    [{ BACKUP_DIR: '/x', BACKUP_SCHEDULE: 'x' }, ['backup']],
    [{ PUBLIC_URL: '' }, ['network']],
    [{ STRIPE_WEBHOOK_SECRET: '' }, ['payment']],
    [{ EMAIL_FROM: 'x' }, ['email']],
    [{ RESEND_API_KEY: '', PREMIUM_PRICE: '0' }, ['payment', 'email']],
  ])('%j leave the other parts to be looked at', (wrong, missing) => {
    expect(load({ ...RIGHT, ...wrong })).toEqual(missing)
  })
})
