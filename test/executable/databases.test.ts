import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyMigrations, MIGRATIONS } from '../../infrastructure/sqlite/migrations.ts'
import { openProduction, type Production } from '../support/executable/production.ts'

/**
 * Everything that can be in the place of the database without being one of this executable's, and how serve ends there:
 * with 78 where only an operator can mend it, so that a service manager does not try again and again.
 */
const OBSTACLES: readonly [string, number, (production: Production) => Promise<void>][] = [
  ['a folder', 1, async ({ databasePath }) => void mkdirSync(databasePath)],
  [
    'a file of something else',
    78,
    async ({ databasePath }) => writeFileSync(databasePath, 'garbage '.repeat(1000)),
  ],
  [
    'the database of a newer executable',
    78,
    async ({ run, databasePath }) => {
      await run(['migrate'])
      const database = new Database(databasePath)
      database.run("INSERT INTO schema_migrations VALUES ('9999_future', 'abc', 0)")
      database.close()
    },
  ],
  [
    'a database whose migrations were changed',
    78,
    async ({ run, databasePath }) => {
      await run(['migrate'])
      const database = new Database(databasePath)
      database.run("UPDATE schema_migrations SET sha256 = 'abc'")
      database.close()
    },
  ],
  [
    'a database that a migration does not fit',
    78,
    async ({ databasePath }) => {
      const database = new Database(databasePath)
      applyMigrations(database, MIGRATIONS.slice(0, 3))
      database.run('CREATE TABLE heartbeat (beats INTEGER)')
      database.run("INSERT INTO log_outs VALUES ('old@example.com', 1)")
      database.close()
    },
  ],
  [
    'a database of which no sound copy can be made before it is migrated',
    78,
    async ({ databasePath }) => {
      const database = new Database(databasePath)
      applyMigrations(database, MIGRATIONS.slice(0, -1))
      database.run('PRAGMA foreign_keys = OFF')
      database.run('CREATE TABLE a (id INTEGER PRIMARY KEY, other INTEGER REFERENCES a (id))')
      database.run('INSERT INTO a VALUES (1, 7)')
      database.close()
    },
  ],
]

describe.each(OBSTACLES)('with %s in the place of the database', (_, serveExits, place) => {
  test.each([
    ['serve', serveExits],
    ['migrate', 1],
  ] as const)(
    '%s says so in one line that names it, and exits with %d',
    async (command, exitCode) => {
      await using production = await openProduction()
      await place(production)
      const outcome = await production.run([command], { PORT: '0', ...production.settings })
      expect(outcome).toMatchObject({ exitCode, stdout: '' })
      expect(outcome.stderr).toStartWith(
        `alibi: the database ${production.databasePath} cannot be opened: `,
      )
      expect(outcome.stderr.trimEnd()).not.toContain('\n')
    },
  )
})

test('a file of something else is left as it is', async () => {
  await using production = await openProduction()
  const garbage = 'garbage '.repeat(1000)
  writeFileSync(production.databasePath, garbage)
  await production.run(['serve'], { PORT: '0', ...production.settings })
  expect(readFileSync(production.databasePath, 'utf8')).toBe(garbage)
})

test('a port in use is said in one line that names it and its settings, and the exit code is 1', async () => {
  await using production = await openProduction()
  const alibi = await production.start()
  const { port } = new URL(alibi.url)
  const other = join(production.folder, 'other.db')
  const second = await production.run(['serve'], {
    ...production.settings,
    PORT: port,
    DATABASE_URL: `sqlite:${other}`,
  })
  expect(second.exitCode).toBe(1)
  expect(second.stdout).toBe('')
  expect(second.stderr).toMatch(new RegExp(`^alibi: HOST, PORT: .*${port}.*\n$`))
  // A newer release that is started beside a running one by mistake must not migrate its database.
  expect(existsSync(other)).toBe(false)
  expect((await fetch(`${alibi.url}/ready`)).status).toBe(200)
})
