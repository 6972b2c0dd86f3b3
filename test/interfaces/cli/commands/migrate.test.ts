import { expect, test } from 'bun:test'
import type { MigrationReport } from '../../../../application/upkeep/reports.ts'
import { migrate } from '../../../../interfaces/cli/commands/migrate.ts'

async function run(report: MigrationReport, json = false) {
  const texts: string[] = []
  const print = (text: string) => void texts.push(text)
  const shown: (string | null)[] = []
  const progress = (line: string | null) => void shown.push(line)
  const exitCode = await migrate({
    path: '/var/alibi.db',
    applyMigrations: async () => report,
    json,
    print,
    progress,
  })
  // What is shown meanwhile is taken away again.
  expect(shown).toEqual([expect.any(String), null])
  return { exitCode, texts }
}

const FRESH = { applied: ['0001_init', '0002_more'], version: '0002_more', copy: null }
const OLD = { applied: ['0002_more'], version: '0002_more', copy: '/var/alibi.db.before-0002_more' }
const CURRENT = { applied: [], version: '0002_more', copy: null }

test('names each migration that was applied', async () => {
  expect(await run(FRESH)).toEqual({
    exitCode: 0,
    texts: ['Applied 0001_init to /var/alibi.db.\nApplied 0002_more to /var/alibi.db.'],
  })
})

test('says where the database as it was is kept', async () => {
  expect((await run(OLD)).texts).toEqual([
    'The database as it was is kept as /var/alibi.db.before-0002_more.\nApplied 0002_more to /var/alibi.db.',
  ])
})

test('says so when nothing was lacking', async () => {
  expect(await run(CURRENT)).toEqual({
    exitCode: 0,
    texts: ['The database /var/alibi.db is up to date at 0002_more.'],
  })
})

test('writes JSON on request', async () => {
  for (const report of [FRESH, OLD, CURRENT]) {
    const [text = ''] = (await run(report, true)).texts
    expect(JSON.parse(text)).toEqual({ database: '/var/alibi.db', ...report })
  }
})

test('a migration that fails is left to be reported with its reason', async () => {
  const applyMigrations = async () => {
    throw new Error('disk full')
  }
  const shown: (string | null)[] = []
  const progress = (line: string | null) => void shown.push(line)
  const print = () => {}
  const act = () =>
    migrate({ path: '/var/alibi.db', applyMigrations, json: false, print, progress })
  await expect(act()).rejects.toThrow('disk full')
  expect(shown.at(-1)).toBeNull()
})
