import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import { after, spread } from '../support/executable/kill-lane.ts'
import {
  buyer,
  openProduction,
  otherCode,
  type Production,
} from '../support/executable/production.ts'
import { change, holdDatabase, inspectKilled, stored, swept } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { rowsWith } from '../support/stores/stored-persons.ts'

let production: Production
let alibi: AlibiProcess

beforeAll(async () => {
  production = await openProduction()
  alibi = await production.start()
  await swept(production)
})
afterAll(() => production[Symbol.asyncDispose]())

const run = (...parameters: string[]) => production.run(parameters)
const runJson = (...parameters: string[]) => production.runJson(parameters)
const buyerOf = (email: string) => buyer(alibi, production, email)

/** Without a single setting but where the database is. */
const runAlone = (...parameters: string[]) =>
  production.run(parameters, { DATABASE_URL: production.settings.DATABASE_URL })

function read(token: string) {
  const headers = { authorization: `Bearer ${token}` }
  return fetch(`${alibi.url}/premium-reasons`, { headers })
}

/** What the database has on disk about an address, its log included. */
function onDisk(email: string): number {
  return ['', '-wal']
    .map((suffix) => production.databasePath + suffix)
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + readFileSync(file, 'latin1').split(email).length - 1, 0)
}

describe('beside a service that runs', () => {
  test('grants lists what was bought and what was given, oldest first, as lines and as JSON', async () => {
    await buyerOf('grants-one@example.com').buy()
    await runAlone('grant', 'grants-two@example.com')
    await runAlone('revoke', 'grants-two@example.com')
    const { exitCode, stdout, stderr } = await runAlone('grants')
    expect([exitCode, stderr]).toEqual([0, ''])
    const [header = '', ...lines] = stdout.trimEnd().split('\n')
    expect(header).toMatch(/^ID +GIVEN +SINCE +ADDRESS +STATE$/)
    expect(lines.find((line) => line.includes('grants-one@'))).toMatch(/by purchase .* active$/)
    expect(lines.find((line) => line.includes('grants-two@'))).toMatch(
      /by hand .* not active: revoked /,
    )

    const json = await runAlone('grants', '--json')
    const objects = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(objects.map(({ id }) => id)).toEqual(lines.map((line) => line.split(' ')[0]))
    expect(objects.map(({ since }) => since)).toEqual(objects.map(({ since }) => since).toSorted())
  })

  test('logout ends every token at once, and premium stays', async () => {
    const email = 'logged-in@example.com'
    const { buy, prove, hasPremium } = buyerOf(email)
    const { token } = await buy()
    expect((await read(token)).status).toBe(200)
    expect(await runAlone('logout', email)).toEqual({
      exitCode: 0,
      stdout: `Whoever was logged in as ${email} no longer is.\n`,
      stderr: '',
    })
    expect((await read(token)).status).toBe(401)
    expect(await hasPremium()).toBe(true)
    const fresh = String((await prove()).token)
    expect((await read(fresh)).status).toBe(200)
    expect(await runJson('logout', email)).toEqual({
      exitCode: 0,
      json: { email, loggedOut: true },
    })
    expect((await read(fresh)).status).toBe(401)
  })

  test('unlock lets a blocked address try again at once, with the code that it has', async () => {
    const email = 'blocked@example.com'
    const { mailCode, confirm } = buyerOf(email)
    const code = await mailCode()
    // What a day of guessing leaves behind, which is more requests than a test should make.
    for (let position = 0; position < 40; position++) {
      change(
        production,
        "INSERT INTO otp_wrong_tries VALUES (?, 'stranger', ?, ?, NULL)",
        email,
        position,
        Date.now() - 1000,
      )
    }
    expect((await confirm(code)).status).toBe(429)
    expect(await runAlone('unlock', email)).toEqual({
      exitCode: 0,
      stdout: `Forgot 40 wrong codes and 1 mail of ${email}.\n`,
      stderr: '',
    })
    expect((await confirm(otherCode(code))).status).toBe(401)
    expect((await confirm(code)).status).toBe(200)
    expect(await runJson('unlock', email)).toEqual({
      exitCode: 0,
      json: { email, forgotten: 1, mails: 0 },
    })
  })

  test('export prints everything as JSON, and no code', async () => {
    const email = 'curious@example.com'
    const { buy, mailCode } = buyerOf(email)
    const { sessionId } = await buy()
    const code = await mailCode()
    const { exitCode, stdout, stderr } = await runAlone('export', email)
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toStartWith('{\n  "email"')
    expect(stdout).not.toContain(code)
    expect(JSON.parse(stdout)).toMatchObject({
      email,
      hasPremium: true,
      codes: [{ isLive: true, attemptsLeft: 5 }],
      purchases: [{ sessionId, state: 'paid' }],
      grants: [{ isActive: true }],
      messages: [{ kind: 'payment_confirmed' }],
      audit: [{ reason: 'paid', by: 'webhook' }],
    })
    expect((await runAlone('export', email, '--json')).exitCode).toBe(0)
    const stranger = await runAlone('export', 'stranger@example.com')
    expect(stranger.exitCode).toBe(0)
    expect(JSON.parse(stranger.stdout)).toMatchObject({ purchases: [], audit: [] })
  })

  test('erase takes an address out of every table and file, and its tokens never come back', async () => {
    const email = 'forget.me@example.com'
    const { buy, hasPremium } = buyerOf(email)
    const { token, sessionId } = await buy()
    await until('the confirmation is sent', () => {
      const [message] = stored(production, 'SELECT state FROM outbox WHERE email = ?', email)
      return message?.['state'] === 'done'
    })
    expect(onDisk(email)).toBeGreaterThan(0)

    const { exitCode, json } = await runJson('erase', email)
    expect(exitCode).toBe(0)
    expect(json).toMatchObject({ email, outcome: 'erased', kept: { purchases: 1, messages: 1 } })
    expect(onDisk(email)).toBe(0)
    expect(onDisk('forget.me')).toBe(0)
    const [purchase] = stored(production, 'SELECT * FROM purchases WHERE session_id = ?', sessionId)
    expect(purchase).toMatchObject({ email: json.name, state: 'paid', amount_paid: 400 })
    expect([await hasPremium(), (await read(token)).status]).toEqual([false, 401])
    expect(await run('erase', email)).toEqual({
      exitCode: 0,
      stdout: `Nothing is stored about ${email}.\n`,
      stderr: '',
    })

    // Stripe tells it all once more, with the address.
    production.double.refund(sessionId)
    await production.double.deliverAll()
    expect((await runJson('reconcile', '--since', '1d')).exitCode).toBe(0)
    expect(onDisk(email)).toBe(0)
    expect(stored(production, 'SELECT * FROM refunds').length).toBeGreaterThan(0)

    const again = await buyerOf(email).buy()
    expect((await read(again.token)).status).toBe(200)
    expect((await read(token)).status).toBe(401)
  })

  test('erase closes an open payment page at Stripe first, and erases nothing where it cannot', async () => {
    const email = 'undecided@example.com'
    const { prove, checkOut } = buyerOf(email)
    await prove()
    const { sessionId } = await checkOut()
    const silent = await production.run(['erase', email], {
      ...production.settings,
      STRIPE_API_URL: 'http://127.0.0.1:9',
    })
    expect(silent.exitCode).toBe(1)
    expect(silent.stderr).toContain(
      'alibi: nothing was erased: the payment provider cannot be asked',
    )
    expect(production.double.sessions.get(sessionId)?.status).toBe('open')

    const { exitCode, stdout } = await run('erase', '--yes', email)
    expect(exitCode).toBe(0)
    expect(stdout).toStartWith(`Erased ${email}: `)
    expect(stdout).toContain('1 purchase')
    expect(production.double.sessions.get(sessionId)?.status).toBe('expired')
    expect(onDisk(email)).toBe(0)
  })

  test('erase does nothing while a payment is on its way, or when it has just come', async () => {
    const email = 'hasty@example.com'
    const { prove, checkOut, hasPremium } = buyerOf(email)
    await prove()
    const { sessionId } = await checkOut()
    production.double.pay(sessionId)
    const paid = await runJson('erase', email)
    expect([paid.exitCode, paid.json.reason]).toEqual([1, 'paid_meanwhile'])
    expect(await hasPremium()).toBe(true)
    await production.double.deliverAll()
    expect((await runJson('erase', email)).json.outcome).toBe('erased')
  })

  test('erase asks first at a terminal, where only a yes is one', async () => {
    const email = 'asked@example.com'
    await runAlone('grant', email)
    if (!Bun.which('script')) {
      process.stdout.write('not tested here: the question at a terminal needs script(1)\n')
      return
    }
    for (const [answer, exitCode] of [
      ['n', 1],
      ['', 1],
      ['yes', 0],
    ] as const) {
      const terminal = Bun.spawn(
        ['script', '-qec', `${production.executable} erase ${email}`, '/dev/null'],
        { cwd: production.folder, env: production.settings, stdin: 'pipe', stdout: 'pipe' },
      )
      terminal.stdin.write(`${answer}\n`)
      terminal.stdin.end()
      const shown = await new Response(terminal.stdout).text()
      expect(shown).toContain(`Erase ${email}?`)
      expect(await terminal.exited).toBe(exitCode)
      const { json } = await runJson('export', email)
      expect(json.grants).toHaveLength(exitCode)
    }
  })

  test('a malformed address, or the name of one that was erased, is wrong usage', async () => {
    for (const command of ['logout', 'unlock', 'export', 'erase']) {
      for (const address of ['not-an-address', 'erased-1@alibi.invalid']) {
        const outcome = await run(command, address)
        expect(outcome).toMatchObject({ exitCode: 2, stdout: '' })
        expect(outcome.stderr).toContain(`${command} needs an address`)
      }
    }
  })

  test('while another process holds the database, what only reads works, and the rest says so', async () => {
    const email = 'waiting@example.com'
    await runAlone('grant', email)
    {
      using _ = holdDatabase(production)
      const [exported, listed, ...refused] = await Promise.all([
        runAlone('export', email),
        runAlone('grants'),
        runAlone('logout', email),
        runAlone('unlock', email),
        run('erase', email),
      ])
      expect([exported.exitCode, listed.exitCode]).toEqual([0, 0])
      for (const outcome of refused) {
        expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
        expect(outcome.stderr).toMatch(/alibi: storage unavailable: .*locked/)
      }
    }
    expect((await runAlone('unlock', email)).exitCode).toBe(0)
    expect((await runJson('status', email)).json.hasPremium).toBe(true)
  })
})

test.each([
  [['grants']],
  [['logout', 'a@example.com']],
  [['unlock', 'a@example.com']],
  [['export', 'a@example.com']],
  [['erase', 'a@example.com']],
])('without a database %j says where it was looked for, and makes none', async (parameters) => {
  await using own = await openProduction()
  const outcome = await own.run(parameters)
  expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
  expect(outcome.stderr).toMatch(/^alibi: there is no database at [^\n]+\n$/)
  expect(existsSync(own.databasePath)).toBe(false)
})

test('an erasure that is killed has erased everything or nothing, and can be done again', async () => {
  await using own = await openProduction()
  await own.run(['migrate'])
  const emails = Array.from({ length: 10 }, (_, number) => `kill-${number}@example.com`)
  for (const email of [...emails, 'first@example.com']) {
    change(own, 'INSERT INTO operator_grants VALUES (?, ?, 1, NULL)', `grant of ${email}`, email)
    change(own, 'INSERT INTO log_outs VALUES (?, 1)', email)
  }
  const startedAt = performance.now()
  expect((await own.run(['erase', 'first@example.com'])).exitCode).toBe(0)
  const wholeMs = performance.now() - startedAt

  const seen = { everything: 0, nothing: 0 }
  for (const [number, delayMs] of spread(emails.length, wholeMs * 1.2).entries()) {
    const email = emails[number]!
    const child = Bun.spawn([own.executable, 'erase', email], {
      cwd: own.folder,
      env: own.settings,
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await after(delayMs)
    child.kill('SIGKILL')
    await child.exited
    inspectKilled(own, ({ damage, read: query }) => {
      expect(damage).toEqual([])
      const left = ['operator_grants', 'log_outs'].map(
        (table) => query(`SELECT 1 FROM ${table} WHERE email = ?`, email).length,
      )
      if (left[0] === 0) seen.everything++
      else seen.nothing++
      const [traces, entries] = ['erased_log_outs', 'audit_entries'].map(
        (table) => query(`SELECT 1 FROM ${table}`).length,
      )
      // With those of the first one, which was not killed.
      const whole = seen.everything + 1
      expect({ left, traces, entries }).toEqual({
        left: left[0] === 0 ? [0, 0] : [1, 1],
        traces: whole,
        entries: whole,
      })
    })
  }
  console.log(`SIGKILL in erase: ${emails.length} kills (${JSON.stringify(seen)})`)
  expect(seen.nothing).toBeGreaterThan(0)
  for (const email of emails.slice(0, 2)) {
    expect((await own.runJson(['erase', email])).exitCode).toBe(0)
    expect(stored(own, 'SELECT 1 FROM operator_grants WHERE email = ?', email)).toEqual([])
  }
})

test('the service prunes by itself what is of no use any more, and says so', async () => {
  await using own = await openProduction()
  await own.run(['migrate'])
  const longAgo = Date.now() - 4 * 365 * DAY_MS
  const recently = Date.now() - MINUTE_MS
  for (const [email, at] of [
    ['old@example.com', longAgo],
    ['new@example.com', recently],
  ] as const) {
    change(own, 'INSERT INTO log_outs VALUES (?, ?)', email, at)
    change(own, "INSERT INTO otp_mails VALUES (?, 'stranger', 0, ?, NULL, NULL)", email, at)
    change(own, "INSERT INTO otp_wrong_tries VALUES (?, 'stranger', 0, ?, NULL)", email, at)
    change(own, 'INSERT INTO verifications VALUES (?, ?, ?, NULL, 0)', email, at, at)
    change(
      own,
      `INSERT INTO audit_entries (at, by_whom, grant_id, email, reason, object_id, is_active)
       VALUES (?, 'operator', 'grant_1', ?, 'granted', 'grant_1', 1)`,
      at,
      email,
    )
  }
  const service = await own.start()
  await until('it says what it has pruned', () =>
    service.output().includes('"event":"retention.pruned"'),
  )
  const line = service
    .output()
    .split('\n')
    .find((one) => one.includes('"event":"retention.pruned"'))
  expect(JSON.parse(line ?? '')).toMatchObject({
    code_mails: 1,
    wrong_tries: 1,
    verifications: 1,
    log_outs: 1,
    audit_entries: 1,
  })
  const database = new Database(own.databasePath)
  expect(rowsWith(database, 'old@example.com')).toEqual([])
  expect(rowsWith(database, 'new@example.com')).toHaveLength(5)
  database.close()
})
