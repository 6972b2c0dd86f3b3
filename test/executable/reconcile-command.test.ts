import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { buyer, openProduction, type Production } from '../support/executable/production.ts'
import { carriedOut, stored, swept } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'

const SWEEPS = [
  'open_purchases',
  'completed_sessions',
  'undelivered_notifications',
  'refunds',
  'disputes',
]
const LIST_SESSIONS = 'GET /v1/checkout/sessions'

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

const runJson = (...parameters: string[]) => production.runJson(parameters)

/**
 * They have paid, and nobody has told the service, which is stopped, or it would find out by itself within a minute.
 * Resolves with the ids of their purchases.
 */
async function payUnnoticed(...emails: readonly string[]): Promise<readonly string[]> {
  const { double } = production
  const sessions: string[] = []
  for (const email of emails) {
    const { prove, checkOut } = buyerOf(email)
    await prove()
    sessions.push((await checkOut()).sessionId)
  }
  await alibi.stop()
  for (const sessionId of sessions) double.pay(sessionId)
  return sessions.map((id) => String(double.sessions.get(id)?.client_reference_id))
}

async function startAgain(): Promise<void> {
  alibi = await production.start()
}

/** Everything that is stored. */
function everything(): object {
  const tables = stored(production, "SELECT name FROM sqlite_master WHERE type = 'table'")
  return Object.fromEntries(
    tables.map(({ name }) => [name, stored(production, `SELECT * FROM "${name}"`)]),
  )
}

test('reconcile finds who has paid, a dry run only says so, and the service mails the confirmation', async () => {
  const { mailbox } = production
  const email = 'unnoticed@example.com'
  const [purchase] = await payUnnoticed(email)
  const before = everything()
  const { exitCode, json: dry } = await runJson('reconcile', '--dry-run')
  expect([exitCode, dry.dryRun, dry.complete]).toEqual([0, true, true])
  expect(dry.sweeps.map(({ sweep }: { sweep: string }) => sweep)).toEqual(SWEEPS)
  expect(dry.sweeps[0]).toMatchObject({ checked: 1, repaired: 1, failed: 0, finished: true })
  const dryText = await run('reconcile', '--dry-run')
  expect(dryText.exitCode).toBe(0)
  expect(dryText.stdout).toContain('would repair 1')
  expect(everything()).toEqual(before)

  const repaired = await run('reconcile')
  expect(repaired.exitCode).toBe(0)
  expect(repaired.stdout).toMatch(/^open purchases +checked 1 +repaired 1 +failed 0 +finished$/m)
  expect(repaired.stderr).not.toContain('"level":"error"')
  expect(countPaid([email])).toBe(1)
  const { json: again } = await runJson('reconcile')
  expect(again).toMatchObject({ dryRun: false, complete: true })
  const repairs = again.sweeps.map(({ repaired: count }: { repaired: number }) => count)
  expect(repairs).toEqual(SWEEPS.map(() => 0))

  await startAgain()
  expect(await buyerOf(email).hasPremium()).toBe(true)
  await carriedOut(production)
  const key = `payment_confirmed:${purchase}`
  expect(mailbox.delivered.filter((mail) => mail.key === key).map(({ to }) => to)).toEqual([email])
})

test('reconcile that is told to stop begins nothing more and exits with 1, and the next one goes on', async () => {
  const { double, executable, folder: cwd, settings: env, asked } = production
  const emails = Array.from({ length: 20 }, (_, number) => `patient-${number}@example.com`)
  await payUnnoticed(...emails)
  const before = double.count(LIST_SESSIONS)
  const release = double.hold(LIST_SESSIONS)
  const child = Bun.spawn([executable, 'reconcile'], { cwd, env, stdout: 'pipe', stderr: 'pipe' })
  await asked(LIST_SESSIONS, before + 1)
  child.kill('SIGTERM')
  await until('it has heard', () => !awaitsTerm(child.pid))
  release()
  expect(await child.exited).toBe(1)
  expect(await new Response(child.stderr).text()).toContain('stopped before the end')
  expect(await new Response(child.stdout).text()).toContain('not finished')
  const found = countPaid(emails)
  expect(found).toBeLessThan(emails.length)

  const { json } = await runJson('reconcile')
  expect(json.sweeps[0]).toMatchObject({ repaired: emails.length - found, finished: true })
  expect(countPaid(emails)).toBe(emails.length)
  await startAgain()
})

test('with a key that was rolled reconcile and purchases show call the operator and change nothing', async () => {
  const [purchase = ''] = await payUnnoticed('rolled@example.com')
  const before = everything()
  const env = { ...production.settings, STRIPE_SECRET_KEY: 'sk_test_rolled_long_ago' }
  for (const parameters of [
    ['reconcile'],
    ['reconcile', '--json'],
    ['purchases', 'show', purchase],
  ]) {
    const { exitCode, stderr } = await production.run(parameters, env)
    expect(exitCode).toBe(1)
    const alarms = stderr.split('\n').filter((line) => line.includes('"level":"error"'))
    expect(alarms.length).toBeGreaterThan(0)
    expect(stderr).not.toContain(env.STRIPE_SECRET_KEY)
    expect(stderr.trimEnd().split('\n').at(-1)).toStartWith('alibi: ')
  }
  expect(everything()).toEqual(before)
  expect((await run('reconcile')).exitCode).toBe(0)
  await startAgain()
  expect(await buyerOf('rolled@example.com').hasPremium()).toBe(true)
})

/** Whether the process handles SIGTERM by itself, as proc(5) says: once it has heard one, it no longer does. */
function awaitsTerm(pid: number): boolean {
  // Elsewhere than on Linux nobody tells.
  if (!existsSync('/proc/self/status')) return false
  const [, caught = ''] =
    /^SigCgt:\s+(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (BigInt(`0x${caught}`) & (1n << BigInt(constants.signals.SIGTERM - 1))) !== 0n
}

function countPaid(emails: readonly string[]): number {
  const paid = stored(production, "SELECT email FROM purchases WHERE state = 'paid'")
  return paid.filter(({ email }) => emails.includes(String(email))).length
}
