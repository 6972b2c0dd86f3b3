import { expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buyer, openProduction } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { client } from '../support/http/client.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { query } from '../support/postgres/query.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { dump, fullDatabase } from '../support/stores/data-migrations.ts'
import { addRows, bytesOf } from '../support/stores/sold-database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MANY = 100_000

if (hasPostgres()) {
  test('an installation goes to PostgreSQL and back, by a URL in a file, and no output has the password', async () => {
    await using production = await openProduction()
    const { url } = await freshDatabase()
    const urlFile = join(production.folder, 'database-url')
    writeFileSync(urlFile, `${url}\n`)
    const path = fullDatabase(2)
    const back = join(production.folder, 'back.db')
    const env = { DATABASE_URL_FILE: urlFile }
    const there = ['migrate-data', '--from', `sqlite:${path}`, '--to', 'env']
    const andBack = ['migrate-data', '--from', 'env', '--to', `sqlite:${back}`, '--json']

    const first = await production.run(there, env)
    expect(first).toMatchObject({ exitCode: 0, stderr: '' })
    expect(first.stdout).toMatch(/^purchases +2 +([0-9a-f]{64}) +2 +\1$/m)
    const again = await production.run(there, env)
    expect(again).toMatchObject({ exitCode: 1, stdout: '' })
    expect(again.stderr).toMatch(/^alibi: the database \S+ holds data already, in otps\n$/)
    const second = await production.run(andBack, env)
    expect(second).toMatchObject({ exitCode: 0, stderr: '' })
    expect(JSON.parse(second.stdout).to).toBe(`sqlite:${back}`)

    expect(dump(back)).toBe(dump(path))
    for (const { stdout, stderr } of [first, again, second]) {
      expect(stdout + stderr).not.toContain(new URL(url).password)
    }
  })

  test('while a service runs on the source, nothing is copied, and the service goes on', async () => {
    await using production = await openProduction()
    const alibi = await production.start()
    const { url } = await freshDatabase()
    const { databasePath } = production
    const parameters = ['migrate-data', '--from', `sqlite:${databasePath}`, '--to', 'env']
    expect(await production.run(parameters, { DATABASE_URL: url })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `alibi: the database ${databasePath} is in use by a service: stop that first\n`,
    })
    expect((await fetch(`${alibi.url}/ready`)).status).toBe(200)
    expect(await alibi.stop()).toBe(0)
    expect(await production.run(parameters, { DATABASE_URL: url })).toMatchObject({ exitCode: 0 })
  })

  test('a customer stays one on the way to PostgreSQL and back: the token, and a code that waits', async () => {
    await using production = await openProduction()
    const { url } = await freshDatabase()
    const [sqlite, postgres] = [production.settings, { ...production.settings, DATABASE_URL: url }]
    const back = join(production.state, 'back.db')
    const hasAccess = async (alibi: AlibiProcess, token: string) =>
      (await client(alibi.url).get('/premium-reasons', token)).status === 200

    const before = await production.start({ env: sqlite })
    const ada = buyer(before, production, 'ada@example.com')
    const { token } = await ada.buy()
    const code = await ada.mailCode()
    expect(await before.stop()).toBe(0)
    const from = `sqlite:${production.databasePath}`
    const there = await production.run(['migrate-data', '--from', from, '--to', 'env'], postgres)
    expect(there).toMatchObject({ exitCode: 0, stderr: '' })

    const between = await production.start({ env: postgres })
    expect(await hasAccess(between, token)).toBe(true)
    const adaThere = buyer(between, production, 'ada@example.com')
    const second = String((await adaThere.confirm(code)).body['token'])
    expect(await hasAccess(between, second)).toBe(true)
    const codeThere = await adaThere.mailCode()
    const toSqlite = ['migrate-data', '--from', 'env', '--to', `sqlite:${back}`]
    const refused = await production.run(toSqlite, postgres)
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toContain(' is in use by a service: stop that first')
    expect(existsSync(back)).toBe(false)
    expect(await between.stop()).toBe(0)
    expect(await production.run(toSqlite, postgres)).toMatchObject({ exitCode: 0, stderr: '' })

    const after = await production.start({ env: { ...sqlite, DATABASE_URL: `sqlite:${back}` } })
    for (const one of [token, second]) expect(await hasAccess(after, one)).toBe(true)
    const adaBack = buyer(after, production, 'ada@example.com')
    const third = String((await adaBack.confirm(codeThere)).body['token'])
    expect(await hasAccess(after, third)).toBe(true)
  })

  test('killed in the middle, it leaves both databases as they were, and the next run copies all', async () => {
    await using production = await openProduction()
    const { url } = await freshDatabase()
    const path = fullDatabase(2)
    addRows(path, MANY)
    const before = bytesOf(path)
    const back = join(temporaryFolder(), 'alibi.db')
    const [there, andBack] = [
      ['migrate-data', '--from', `sqlite:${path}`, '--to', 'env'],
      ['migrate-data', '--from', 'env', '--to', `sqlite:${back}`],
    ] as const
    const start = (parameters: readonly string[]) =>
      Bun.spawn([production.executable, ...parameters], {
        env: { DATABASE_URL: url },
        stdout: 'ignore',
        stderr: 'ignore',
      })

    const killed = start(there)
    await until('it stores rows', () => isStoring(url))
    killed.kill('SIGKILL')
    await killed.exited
    await until('its transaction is gone', async () => !(await isConnected(url)))
    expect(await query(url, 'SELECT FROM log_outs UNION ALL SELECT FROM otps')).toEqual([])
    expect(bytesOf(path)).toBe(before)
    expect(await production.run(there, { DATABASE_URL: url })).toMatchObject({ exitCode: 0 })
    expect(bytesOf(path)).toBe(before)

    const killedBack = start(andBack)
    await until('it stores rows', () => writtenBeside(back) > 1_000_000)
    killedBack.kill('SIGKILL')
    await killedBack.exited
    expect(existsSync(back)).toBe(false)
    expect(await production.run(andBack, { DATABASE_URL: url })).toMatchObject({ exitCode: 0 })
    expect(readdirSync(dirname(back))).toEqual(['alibi.db'])
    expect(dump(back)).toBe(dump(path))
  })

  test('many rows need no more memory than few', async () => {
    await using production = await openProduction()
    const peakBytes = async (rows: number) => {
      const { url } = await freshDatabase()
      const path = fullDatabase(1)
      addRows(path, rows)
      const parameters = ['migrate-data', '--from', `sqlite:${path}`, '--to', 'env']
      const child = Bun.spawn([production.executable, ...parameters], {
        env: { DATABASE_URL: url },
        stdout: 'ignore',
      })
      expect(await child.exited).toBe(0)
      return child.resourceUsage()?.maxRSS ?? 0
    }
    const [few, many] = [await peakBytes(10_000), await peakBytes(2 * MANY)]
    const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`
    console.log(`at most ${megabytes(few)} for 10,000 rows, ${megabytes(many)} for ${2 * MANY}`)
    // All of the rows at once would take more than that.
    expect(many - few).toBeLessThan(64 * 1024 * 1024)
  })
}

const ACTIVITY = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'alibi'`

async function isStoring(url: string): Promise<boolean> {
  return (await query(url, `${ACTIVITY} AND query LIKE 'INSERT INTO log_outs%'`)).length > 0
}

async function isConnected(url: string): Promise<boolean> {
  return (await query(url, ACTIVITY)).length > 0
}

/** How many bytes a database has that has no name yet. */
function writtenBeside(path: string): number {
  const [work] = readdirSync(dirname(path)).filter((name) => name.startsWith('.alibi-work-'))
  if (work === undefined) return 0
  const log = join(dirname(path), work, 'copy.db-wal')
  return statSync(log, { throwIfNoEntry: false })?.size ?? 0
}
