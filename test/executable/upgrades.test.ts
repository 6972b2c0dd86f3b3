import { Database } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MINUTE_MS } from '../../domain/duration.ts'
import { applyMigrations, MIGRATIONS } from '../../infrastructure/sqlite/migrations.ts'
import { builtExecutable } from '../support/executable/built.ts'
import { openProduction, type Production } from '../support/executable/production.ts'
import { change } from '../support/executable/stored.ts'
import { client } from '../support/http/client.ts'
import { runAlibi } from '../support/service/alibi-process.ts'

// So that building it is not on the time of the first test.
beforeAll(async () => void (await builtExecutable()))

const PAID_AT = Date.UTC(2025, 0, 2)

/** A database as the release with so many migrations left it, in which Anna has paid and Bert has had a grant. */
function openRelease(path: string, migrations: number): void {
  const database = new Database(path)
  database.run('PRAGMA journal_mode = WAL')
  // What the first release wrote, the later ones have brought up to date.
  applyMigrations(database, MIGRATIONS.slice(0, 1))
  database.run(
    `INSERT INTO purchases (id, email, price_amount, price_currency, live, state, created_at, expires_at, session_id,
      payment_intent_id, paid_at, amount_paid)
    VALUES ('pur_1', 'anna@example.com', 400, 'eur', 0, 'paid', ?, ?, 'cs_1', 'pi_1', ?, 400)`,
    [PAID_AT - MINUTE_MS, PAID_AT + 1_740_000, PAID_AT],
  )
  database.run(
    `INSERT INTO operator_grants (id, email, granted_at, revoked_at) VALUES ('g1', 'bert@example.com', ?, NULL)`,
    [PAID_AT],
  )
  applyMigrations(database, MIGRATIONS.slice(0, migrations))
  database.close(true)
}

/** Everything in it: tables, indexes, triggers and rows. */
function dump(path: string) {
  // Whoever only reads would leave files of the write-ahead log behind.
  const database = new Database(path, { readwrite: true })
  const schema = database
    .query<{ name: string; type: string; sql: string | null }, []>(
      'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name',
    )
    .all()
  const tables = schema.filter(({ type }) => type === 'table')
  const rows = tables.map(({ name }) => [name, database.query(`SELECT * FROM "${name}"`).values()])
  database.close(true)
  return { schema, rows }
}

async function hasPremium(url: string, email: string): Promise<unknown> {
  return (await client(url).get(`/auth/check?email=${email}`)).body['hasPremium']
}

const RELEASES = MIGRATIONS.slice(0, -1).map(({ name }, index) => ({
  release: name,
  migrations: index + 1,
  next: MIGRATIONS[index + 1]?.name ?? '',
}))

describe.each(RELEASES)('a database of the release with $release', ({ migrations, next }) => {
  test('is served after an upgrade, and is as it was after the way back', async () => {
    await using production = await openProduction()
    const { databasePath } = production
    openRelease(databasePath, migrations)
    const old = dump(databasePath)

    const alibi = await production.start()
    for (const email of ['anna@example.com', 'bert@example.com']) {
      expect(await hasPremium(alibi.url, email)).toBe(true)
    }
    expect(await hasPremium(alibi.url, 'carl@example.com')).toBe(false)
    expect(await alibi.stop()).toBe(0)
    const upgraded = dump(databasePath)
    expect(upgraded.schema).not.toEqual(old.schema)

    const copy = `${databasePath}.before-${next}`
    const restored = await production.run(['restore', copy, '--yes'])
    expect(restored).toMatchObject({ exitCode: 0, stderr: '' })
    expect(dump(databasePath)).toEqual(old)

    // Nothing was lost on the way back either: the upgraded database lies where the words say.
    const kept = /To go back: alibi restore (\S+)$/m.exec(restored.stdout)?.[1] ?? ''
    expect(dump(kept)).toEqual(upgraded)
    const again = await production.start()
    expect(await hasPremium(again.url, 'anna@example.com')).toBe(true)
  })
})

test('the way back that restore prints leads back to the same database from any folder', async () => {
  await using production = await openProduction()
  const { databasePath, folder, state, settings } = production
  writeFileSync(join(folder, 'my.env'), `DATABASE_URL=${settings.DATABASE_URL}\n`)
  const run = (cwd: string, ...parameters: string[]) =>
    runAlibi({ command: [production.executable, ...parameters], cwd })
  expect((await run(folder, 'migrate', '--env-file', 'my.env')).exitCode).toBe(0)
  expect((await run(folder, 'backup', 'copy.db', '--env-file', 'my.env')).exitCode).toBe(0)
  change(production, "INSERT INTO log_outs VALUES ('later@example.com', 1)")
  const later = dump(databasePath)

  const restored = await run(folder, 'restore', 'copy.db', '--yes', '--env-file', 'my.env')
  expect(dump(databasePath)).not.toEqual(later)
  const advised = /To go back: alibi (.+)$/m.exec(restored.stdout)?.[1]?.split(' ') ?? []
  expect(await run(state, ...advised, '--yes')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(dump(databasePath)).toEqual(later)
})

describe('a database that a newer executable has upgraded', () => {
  async function openNewer(): Promise<Production> {
    const production = await openProduction()
    expect(await production.run(['migrate'])).toMatchObject({ exitCode: 0 })
    const database = new Database(production.databasePath)
    database.run(`INSERT INTO schema_migrations VALUES ('9999_future', '${'0'.repeat(64)}', 0)`)
    database.close(true)
    return production
  }

  test.each([
    ['serve'],
    ['migrate'],
    ['status anna@example.com'],
    ['grant anna@example.com'],
    ['purchases'],
  ])('is left alone by "%s", which names both and what to do', async (line) => {
    await using production = await openNewer()
    const before = dump(production.databasePath)
    const outcome = await production.run(line.split(' '))
    // A service manager need not try again what only an operator can mend.
    expect(outcome).toMatchObject({ exitCode: line === 'serve' ? 78 : 1, stdout: '' })
    const newest = MIGRATIONS.at(-1)?.name ?? ''
    for (const words of ['9999_future', newest, 'install the newer executable', 'restore']) {
      expect(outcome.stderr).toContain(words)
    }
    expect(dump(production.databasePath)).toEqual(before)
    expect(readdirSync(production.state)).toEqual(['alibi.db'])
  })

  test('is not restored in the place of one that it knows', async () => {
    await using newer = await openNewer()
    await using own = await openProduction()
    expect(await own.run(['migrate'])).toMatchObject({ exitCode: 0 })
    const before = dump(own.databasePath)
    const outcome = await own.run(['restore', newer.databasePath, '--yes'])
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
    expect(outcome.stderr).toContain('9999_future')
    expect(dump(own.databasePath)).toEqual(before)
    expect(existsSync(newer.databasePath)).toBe(true)
  })
})
