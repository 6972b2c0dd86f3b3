import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openProduction, type Production } from './production.ts'

/** Everything that can be in the place of the database without being one of this executable's. */
const OBSTACLES: readonly [string, (production: Production) => Promise<void>][] = [
  ['a folder', async ({ databasePath }) => void mkdirSync(databasePath)],
  [
    'a file of something else',
    async ({ databasePath }) => writeFileSync(databasePath, 'garbage '.repeat(1000)),
  ],
  [
    'the database of a newer executable',
    async ({ run, databasePath }) => {
      await run(['migrate'])
      const database = new Database(databasePath)
      database.run("INSERT INTO schema_migrations VALUES ('9999_future', 'abc', 0)")
      database.close()
    },
  ],
  [
    'a database whose migrations were changed',
    async ({ run, databasePath }) => {
      await run(['migrate'])
      const database = new Database(databasePath)
      database.run("UPDATE schema_migrations SET sha256 = 'abc'")
      database.close()
    },
  ],
]

describe.each(OBSTACLES)('with %s in the place of the database', (_, place) => {
  test.each(['serve', 'migrate'])(
    '%s says so in one line that names it, and exits with 1',
    async (command) => {
      await using production = await openProduction()
      await place(production)
      const outcome = await production.run([command], { PORT: '0', ...production.settings })
      expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
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

test('a port in use is said in one line that names it, and the exit code is 1', async () => {
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
  expect(second.stderr).toMatch(new RegExp(`^alibi: .*${port}.*\n$`))
  // A newer release that is started beside a running one by mistake must not migrate its database.
  expect(existsSync(other)).toBe(false)
  expect((await fetch(`${alibi.url}/ready`)).status).toBe(200)
})
