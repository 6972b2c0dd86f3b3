import { describe, expect, test } from 'bun:test'
import type { DataMigration } from '../../../../interfaces/cli/command-context.ts'
import {
  migrateData,
  migrateDataCommand,
} from '../../../../interfaces/cli/commands/migrate-data.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'

const TABLES = [
  { name: 'otps', source: { rows: 12, sha256: 'abc' }, target: { rows: 12, sha256: 'abc' } },
  { name: 'sweeps', source: { rows: 0, sha256: 'e' }, target: { rows: 0, sha256: 'e' } },
]

async function run({ json = false, fault = null as Error | null } = {}) {
  const { lines, print } = recordedOutput()
  const shown: (string | null)[] = []
  const migration: DataMigration = {
    from: 'sqlite:/d/alibi.db',
    to: 'postgres://alibi@db:5432/alibi',
    async copy({ onProgress }) {
      onProgress({ step: 'copying', table: 'otps', rows: 5000 })
      if (fault) throw fault
      return TABLES
    },
  }
  const outcome = await migrateData({
    migration,
    json,
    print,
    progress: (line) => void shown.push(line),
    stopping: new AbortController().signal,
  }).catch((error) => error)
  return { outcome, lines, shown }
}

describe('migrate-data', () => {
  test('has a line for each table: rows and checksum of the source, then of the target', async () => {
    const { outcome, lines, shown } = await run()
    expect(outcome).toBe(0)
    expect(lines.join('\n').split('\n')).toEqual([
      'Copied sqlite:/d/alibi.db to postgres://alibi@db:5432/alibi:',
      'table   rows  SHA-256  rows there  SHA-256 there',
      'otps    12    abc      12          abc',
      'sweeps  0     e        0           e',
    ])
    expect(shown).toEqual(['copying otps: 5000 rows …', null])
  })

  test('says the same in JSON', async () => {
    const { lines } = await run({ json: true })
    expect(JSON.parse(lines.join('\n'))).toEqual({
      from: 'sqlite:/d/alibi.db',
      to: 'postgres://alibi@db:5432/alibi',
      tables: TABLES,
    })
  })

  test('takes the line of its progress away, and says nothing more, where it fails', async () => {
    const fault = new Error('nothing was copied')
    const { outcome, lines, shown } = await run({ fault })
    expect(outcome).toBe(fault)
    expect(lines).toEqual([])
    expect(shown.at(-1)).toBeNull()
  })
})

describe('the databases on the command line', () => {
  const parse = (from?: string, to?: string) => migrateDataCommand.parse([], { from, to })

  test('are a path, a URL or env', () => {
    expect(parse('sqlite:/d/alibi.db', 'env')).toEqual({ from: 'sqlite:/d/alibi.db', to: 'env' })
    expect(parse('env', 'sqlite:a.db')).toEqual({ from: 'env', to: 'sqlite:a.db' })
    expect(parse('postgres://a@b/c', 'sqlite:a.db')).toMatchObject({ from: 'postgres://a@b/c' })
  })

  test.each([
    [undefined, 'env', '--from needs sqlite:PATH'],
    ['env', undefined, '--to needs sqlite:PATH'],
    ['env', 'env', 'only one of --from and --to can be env'],
    ['mysql://root:secret@db', 'env', '--from needs sqlite:PATH'],
    ['/d/alibi.db', 'env', '--from needs sqlite:PATH'],
  ])('are refused as %p and %p, without their value', (from, to, words) => {
    const refused = parse(from, to)
    if (!('usageError' in refused)) throw new Error('it was taken')
    expect(refused.usageError).toStartWith(words)
    expect(refused.usageError).not.toContain('secret')
  })
})
