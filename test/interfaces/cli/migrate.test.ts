import { expect, test } from 'bun:test'
import { type MigrationReport, migrate } from '../../../interfaces/cli/migrate.ts'

function run(report: MigrationReport, json = false) {
  const texts: string[] = []
  const print = (text: string) => void texts.push(text)
  const exitCode = migrate({ applyMigrations: () => report, json, print })
  return { exitCode, texts }
}

const FRESH = { applied: ['0001_init', '0002_more'], version: '0002_more' }
const CURRENT = { applied: [], version: '0002_more' }

test('names each migration that was applied', () => {
  expect(run(FRESH)).toEqual({ exitCode: 0, texts: ['Applied 0001_init.\nApplied 0002_more.'] })
})

test('says so when nothing was lacking', () => {
  expect(run(CURRENT)).toEqual({
    exitCode: 0,
    texts: ['The database is up to date at 0002_more.'],
  })
})

test('writes JSON on request', () => {
  expect(run(FRESH, true).texts.map((text) => JSON.parse(text))).toEqual([FRESH])
  expect(run(CURRENT, true).texts.map((text) => JSON.parse(text))).toEqual([CURRENT])
})

test('a migration that fails is left to be reported with its reason', () => {
  const applyMigrations = () => {
    throw new Error('disk full')
  }
  expect(() => migrate({ applyMigrations, json: false, print: () => {} })).toThrow('disk full')
})
