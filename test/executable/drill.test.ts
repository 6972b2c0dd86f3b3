import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkEnds } from '../support/executable/ends.ts'
import { buyer, openProduction, type Production } from '../support/executable/production.ts'
import { carriedOut, stored, swept } from '../support/executable/stored.ts'
import { client } from '../support/http/client.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { addRows } from '../support/stores/sold-database.ts'

const BEFORE = 6
const AFTER = 4
const CLIENTS = 8
const BACKUPS = 3
const BALLAST_ROWS = 200_000

type Customer = { readonly email: string; readonly token: string }

async function sell(
  production: Production,
  alibi: AlibiProcess,
  names: readonly string[],
): Promise<Customer[]> {
  const customers = []
  for (const name of names) {
    const email = `${name}@example.com`
    customers.push({ email, token: (await buyer(alibi, production, email).buy()).token })
  }
  return customers
}

/** Reads and writes without a pause until it is told to stop. */
function startLoad({ url }: AlibiProcess, { token }: Customer) {
  const { get, post } = client(url)
  const failures: unknown[] = []
  let [requests, slowestMs, isOver] = [0, 0, false]

  async function work(number: number): Promise<void> {
    for (let round = 0; !isOver; round++) {
      const before = performance.now()
      // The first of them is a write, as is every mail that is asked for.
      const answers = [
        await post('/auth/verify-email', { email: `${number}-${round}@load.example` }),
        await get('/premium-reasons', token),
        await get('/auth/check?email=load@example.com'),
      ]
      slowestMs = Math.max(slowestMs, performance.now() - before)
      requests += answers.length
      failures.push(...answers.filter(({ status }) => status !== 200))
    }
  }

  const workers = Array.from({ length: CLIENTS }, (_, number) => work(number))
  return async () => {
    isOver = true
    await Promise.all(workers)
    return { requests, failures, slowestMs }
  }
}

/** The same settings on another machine: nothing of the first one's folder is there. */
function moveElsewhere(production: Production): Production {
  const state = join(production.folder, 'elsewhere')
  const databasePath = join(state, 'alibi.db')
  mkdirSync(state)
  const settings = { ...production.settings, DATABASE_URL: `sqlite:${databasePath}` }
  return { ...production, state, databasePath, settings }
}

test('the drill: sell, back up under load, sell more, lose the machine, restore elsewhere: everything is there', async () => {
  await using production = await openProduction()
  const alibi = await production.start()
  const early = await sell(
    production,
    alibi,
    Array.from({ length: BEFORE }, (_, number) => `early-${number}`),
  )
  await production.run(['grant', 'by-hand@example.com'])
  // So that a backup takes a while.
  addRows(production.databasePath, BALLAST_ROWS)
  await carriedOut(production)

  const stopLoad = startLoad(alibi, early[0]!)
  const backupSeconds = []
  for (let number = 0; number < BACKUPS; number++) {
    const { exitCode, json } = await production.runJson(['backup', `${number}.db`])
    expect(exitCode).toBe(0)
    backupSeconds.push(json.seconds)
  }
  const load = await stopLoad()
  expect(load.failures).toEqual([])
  expect(load.requests).toBeGreaterThan(CLIENTS)

  const late = await sell(
    production,
    alibi,
    Array.from({ length: AFTER }, (_, number) => `late-${number}`),
  )
  await carriedOut(production)
  const premium = new Map(
    [...early, ...late, { email: 'by-hand@example.com' }].map(({ email }) => [email, true]),
  )
  const before = await checkEnds(production, alibi, premium)
  expect(before).toMatchObject({ wrong: [], payments: BEFORE + AFTER })

  await alibi.stop('SIGKILL')
  rmSync(production.state, { recursive: true })
  const elsewhere = moveElsewhere(production)
  for (const name of ['backup.db', 'backup.db.sha256']) {
    const source = name.replace('backup', String(BACKUPS - 1))
    copyFileSync(join(production.folder, source), join(elsewhere.folder, name))
  }
  const lostAt = Date.now()
  const restored = await production.run(['restore', 'backup.db'], elsewhere.settings)
  expect(restored).toMatchObject({ exitCode: 0, stderr: '' })
  expect(restored.stdout).toContain('There was no database before.')
  expect(readdirSync(elsewhere.state)).toEqual(['alibi.db'])
  expect(stored(elsewhere, 'SELECT count(*) AS n FROM purchases')).toEqual([{ n: BEFORE }])

  const again = await production.start({ env: elsewhere.settings })
  const servingMs = Date.now() - lostAt
  // What was sold before the backup is there at once, and its tokens go on.
  for (const { token } of early) {
    expect((await client(again.url).get('/premium-reasons', token)).status).toBe(200)
  }
  await swept(elsewhere, lostAt)
  await carriedOut(elsewhere)
  const wholeMs = Date.now() - lostAt
  for (const { token } of late) {
    expect((await client(again.url).get('/premium-reasons', token)).status).toBe(200)
  }
  expect(await checkEnds(elsewhere, again, premium)).toEqual(before)
  const slowest = Math.max(...backupSeconds)
  console.log(
    `drill: ${BEFORE} sold, ${BACKUPS} backups (${slowest.toFixed(2)} s at most) under ${load.requests} requests of ` +
      `${CLIENTS} clients, ${load.failures.length} failed, slowest round of three ${Math.round(load.slowestMs)} ms; ` +
      `${AFTER} sold after, machine lost; serving elsewhere after ${servingMs} ms, ${premium.size} of ${premium.size} ` +
      `with premium and ${early.length + late.length} tokens good after ${wholeMs} ms`,
  )
})
