import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import {
  buyer,
  deliverAll,
  openProduction,
  type Production,
} from '../support/executable/production.ts'
import { stored, swept } from '../support/executable/stored.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'

let production: Production
let alibi: AlibiProcess

beforeAll(async () => {
  production = await openProduction()
  alibi = await production.start()
  await swept(production)
})
afterAll(() => production[Symbol.asyncDispose]())

const run = (...parameters: string[]) => production.run(parameters)
const buyerOf = (email: string) => buyer(alibi, production, email)

/** Without a single setting but where the database is. */
const runAlone = (...parameters: string[]) =>
  production.run(parameters, { DATABASE_URL: production.settings.DATABASE_URL })

const runJson = (...parameters: string[]) => production.runJson(parameters)

describe('beside a service that runs', () => {
  test('grant gives premium at once and says whether it was needed, and revoke takes it away at once', async () => {
    const email = 'friend@example.com'
    const { hasPremium, prove } = buyerOf(email)
    expect(await hasPremium()).toBe(false)
    const granted = await runAlone('grant', email)
    expect(granted).toMatchObject({ exitCode: 0, stderr: '' })
    expect(granted.stdout).toStartWith(`${email} has premium`)
    expect(await hasPremium()).toBe(true)
    expect(await prove()).toHaveProperty('token')
    expect(await runJson('grant', email)).toEqual({ exitCode: 0, json: { email, added: false } })

    expect(await runAlone('revoke', email)).toEqual({
      exitCode: 0,
      stdout: `Revoked 1 grant of ${email}.\n`,
      stderr: '',
    })
    expect(await hasPremium()).toBe(false)
    expect(await runJson('revoke', email)).toEqual({ exitCode: 0, json: { email, revoked: 0 } })
    expect(await runJson('grant', email)).toEqual({ exitCode: 0, json: { email, added: true } })
    expect(await hasPremium()).toBe(true)
  })

  test('revoke takes away what was bought, and what is bought later gives premium again', async () => {
    const { buy, hasPremium, checkOut } = buyerOf('returning@example.com')
    await buy()
    expect(await runJson('revoke', 'returning@example.com')).toMatchObject({
      exitCode: 0,
      json: { revoked: 1 },
    })
    expect(await hasPremium()).toBe(false)
    production.double.pay((await checkOut()).sessionId)
    await production.double.deliverAll()
    expect(await hasPremium()).toBe(true)
  })

  test('a reader who is remembered is refused on the very next request', async () => {
    const email = 'reader@example.com'
    const { http, prove } = buyerOf(email)
    await runAlone('grant', email)
    const token = String((await prove()).token)
    const read = async () => (await http.get('/premium-reasons', token)).status
    const readOften = () => Promise.all(Array.from({ length: 20 }, read))

    for (let round = 0; round < 3; round++) {
      expect(new Set(await readOften())).toEqual(new Set([200]))
      await runAlone('revoke', email)
      expect(await read()).toBe(403)
      expect(new Set(await readOften())).toEqual(new Set([403]))
      await runAlone('grant', email)
      expect(await read()).toBe(200)
    }
    await runAlone('logout', email)
    expect(await read()).toBe(401)
  })

  test('status shows every change of a grant: when, who, why and through what', async () => {
    const { double } = production
    const startedAt = Date.now()
    const email = 'story@example.com'
    const { sessionId } = await buyerOf(email).buy()
    const purchase = String(double.sessions.get(sessionId)?.client_reference_id)
    const paid = double.events.findLast(({ type }) => type === 'checkout.session.completed')
    const [refund] = double.refund(sessionId)
    await double.deliverAll()
    await runAlone('grant', email)
    await runAlone('revoke', email)

    const { exitCode, json } = await runJson('status', email)
    expect([exitCode, json.hasPremium]).toEqual([0, false])
    const entries = json.audit.map(({ at, ...entry }: { at: string }) => {
      expect(Date.parse(at)).toBeWithin(startedAt, Date.now() + 1)
      return entry
    })
    const own = { grantId: purchase, email }
    const refundId = refund?.data.object['id']
    expect(entries).toMatchObject([
      {
        ...own,
        by: 'webhook',
        reason: 'paid',
        source: paid?.id,
        objectId: purchase,
        isActive: true,
      },
      {
        ...own,
        by: 'webhook',
        reason: 'refund_succeeded',
        source: refund?.id,
        objectId: refundId,
        isActive: false,
      },
      { email, by: 'operator', reason: 'granted', isActive: true },
      { email, by: 'operator', reason: 'revoked', isActive: false },
      { email, by: 'operator', reason: 'revoked', isActive: false },
    ])

    const text = await runAlone('status', email)
    expect(text).toMatchObject({ exitCode: 0, stderr: '' })
    expect(text.stdout).toStartWith(`${email} does not have premium.\n`)
    for (const part of [purchase, String(refundId), 'webhook', 'operator', 'refund succeeded']) {
      expect(text.stdout).toContain(part)
    }
  })

  test('status of an address that nobody knows is no failure', async () => {
    const { exitCode, json } = await runJson('status', 'nobody@example.com')
    expect(exitCode).toBe(0)
    expect(json).toMatchObject({ hasPremium: false, purchases: [], grants: [], audit: [] })
  })

  test('purchases lists all of them, oldest first, as lines and as JSON', async () => {
    const rows = stored(production, 'SELECT id FROM purchases ORDER BY id')
    expect(rows.length).toBeGreaterThan(2)
    const ids = rows.map(({ id }) => id)
    const text = await runAlone('purchases')
    expect(text).toMatchObject({ exitCode: 0, stderr: '' })
    const [, ...lines] = text.stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.split(' ')[0])).toEqual(ids.map(String))
    const { stdout } = await runAlone('purchases', '--json')
    const objects = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(objects.map(({ id }) => id)).toEqual(ids)
  })

  test('money that was not asked for waits for the operator, and no longer once it was sent back', async () => {
    const { double } = production
    const email = 'cheap@example.com'
    const { prove, checkOut, hasPremium, http } = buyerOf(email)
    await prove()
    const { sessionId } = await checkOut()
    const session = double.sessions.get(sessionId)!
    double.sessions.set(sessionId, { ...session, amount_total: 1 })
    double.pay(sessionId)
    await deliverAll(production)
    expect(await hasPremium()).toBe(false)
    expect(await http.post('/checkout', { email })).toMatchObject({
      status: 409,
      body: { error: 'Payment processing' },
    })

    const id = String(session.client_reference_id)
    const listed = await runAlone('purchases', '--review')
    expect(listed.exitCode).toBe(0)
    expect(listed.stdout.trimEnd().split('\n').length).toBe(2)
    expect(listed.stdout).toContain(id)
    const shown = await run('purchases', 'show', id)
    expect(shown.exitCode).toBe(0)
    for (const part of ['review: amount', '0.01 EUR', '4.00 EUR', email, `alibi grant ${email}`]) {
      expect(shown.stdout).toContain(part)
    }

    // Nobody tells of the refund: showing the purchase reads it from the provider.
    double.refund(sessionId)
    const { exitCode, json } = await runJson('purchases', 'show', id)
    expect([exitCode, json.provider, json.awaitsReview]).toEqual([0, 'read', false])
    expect(json.refunds).toMatchObject([{ amount: 1, state: 'succeeded' }])
    expect((await runAlone('purchases', '--review', '--json')).stdout).toBe('')
    await checkOut()
  })

  test('purchases show of an id that nobody knows exits with 1 and says so', async () => {
    expect(await run('purchases', 'show', 'pur_nobody')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'alibi: there is no purchase pur_nobody\n',
    })
  })

  test('a malformed address is wrong usage', async () => {
    for (const command of ['grant', 'revoke', 'status']) {
      const outcome = await run(command, 'not-an-address')
      expect(outcome).toMatchObject({ exitCode: 2, stdout: '' })
      expect(outcome.stderr).not.toBe('')
    }
  })
})

test.each([
  [['grant', 'a@example.com']],
  [['revoke', 'a@example.com']],
  [['status', 'a@example.com']],
  [['purchases']],
  [['purchases', 'show', 'pur_1']],
  [['reconcile']],
  [['reconcile', '--dry-run', '--json']],
])('without a database %j says where it was looked for, and makes none', async (parameters) => {
  await using own = await openProduction()
  const outcome = await own.run(parameters)
  expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
  expect(outcome.stderr).toMatch(/^alibi: there is no database at [^\n]+\n$/)
  expect(outcome.stderr).toContain(own.databasePath)
  expect(existsSync(own.databasePath)).toBe(false)
})
