import { expect, test } from 'bun:test'
import {
  checkDatabase,
  type DatabaseContent,
  type DatabaseFacts,
  type SchemaFacts,
} from '../../../application/doctor/database.ts'
import { HOUR_MS } from '../../../domain/duration.ts'

const MEGABYTE = 1024 * 1024
const GIGABYTE = 1024 * MEGABYTE

const PATH = '/var/lib/alibi/alibi.db'
const FILE: NonNullable<DatabaseFacts['file']> = {
  bytes: 2 * MEGABYTE,
  logBytes: 0,
  isExposed: false,
  foreignFiles: [],
  isFolderUsable: true,
}
const SCHEMA: SchemaFacts = { state: 'current', version: '0002_b', known: '0002_b' }
const WORK = { givenUp: [], oldestMessageMs: null, purchasesInReview: 0 }
const CONTENT: DatabaseContent = { damage: [], danglingRows: 0, schema: SCHEMA, work: WORK }
const WELL: DatabaseFacts = {
  path: PATH,
  disk: { freeBytes: 10 * GIGABYTE },
  file: FILE,
  content: CONTENT,
  trouble: null,
}

const troubles = (facts: DatabaseFacts) =>
  checkDatabase(facts).filter(({ level }) => level !== 'ok')

test('a database that is well says so, with its size and its schema', () => {
  expect(checkDatabase(WELL).map(({ name, level, text }) => [name, level, text])).toEqual([
    ['database', 'ok', `${PATH}, 2.1 MB, whole, schema 0002_b`],
    ['disk', 'ok', '10.7 GB free'],
    ['purchases', 'ok', 'none waits for you'],
    ['outbox', 'ok', 'nothing is stuck'],
  ])
})

test('what lies in its log yet is a part of its size', () => {
  const file = { ...FILE, bytes: 4096, logBytes: 196_608 }
  expect(checkDatabase({ ...WELL, file })[0]?.text).toContain(', 201 kB, ')
})

test('one that is not there yet is a warning, and the disk is looked at all the same', () => {
  const findings = checkDatabase({ ...WELL, file: null, content: null })
  expect(findings).toMatchObject([
    { name: 'database', level: 'warning', text: expect.stringContaining(PATH) },
    { name: 'disk', level: 'ok' },
  ])
  expect(findings[0]?.advice).toContain('DATABASE_URL')
})

test.each([
  ['SQLITE_NOTADB', 'damaged', 'alibi restore'],
  ['SQLITE_CORRUPT', 'damaged', 'alibi restore'],
  ['SQLITE_CORRUPT_INDEX', 'damaged', 'alibi restore'],
  ['SQLITE_BUSY', 'locked', 'fuser'],
  ['SQLITE_CANTOPEN', 'cannot be read', 'root'],
  ['EACCES', 'cannot be read', 'root'],
])('one that SQLite cannot read (%s) fails, with what to do', (trouble, text, advice) => {
  const [finding] = troubles({ ...WELL, content: null, trouble })
  expect(finding).toMatchObject({ name: 'database', level: 'failed' })
  expect(finding?.text).toContain(text)
  expect(finding?.text).toContain(trouble)
  expect(finding?.advice).toContain(advice)
})

test('one that cannot even be looked at fails', () => {
  const facts = { ...WELL, file: null, content: null, trouble: 'EACCES' }
  expect(troubles(facts)).toMatchObject([{ level: 'failed' }])
})

test.each<[string, Partial<DatabaseContent>, string]>([
  ['a broken index', { damage: ['row 3 missing from index x'] }, 'row 3 missing from index x$'],
  ['many faults', { damage: ['first', 'b', 'c'] }, 'first, and 2 more$'],
  ['rows that refer to nothing', { danglingRows: 2 }, '2 rows'],
])('%s fails, and is not called whole', (_, own, text) => {
  const facts = { ...WELL, content: { ...CONTENT, ...own } }
  expect(troubles(facts)).toMatchObject([
    { name: 'database', level: 'failed', text: expect.stringMatching(new RegExp(text)) },
  ])
  expect(JSON.stringify(checkDatabase(facts))).not.toContain('whole')
})

test.each([
  ['older', 'warning', 'alibi migrate'],
  ['empty', 'warning', 'start the service'],
  ['newer', 'failed', 'newer executable'],
  ['changed', 'failed', 'release'],
  ['foreign', 'failed', 'DATABASE_URL'],
] as const)('a database of which the schema is %s is %s', (state, level, advice) => {
  const schema = { state, version: '0001_a', known: '0002_b' }
  const found = troubles({ ...WELL, content: { ...CONTENT, schema, work: null } })
  expect(found).toMatchObject([
    { name: 'database', level, advice: expect.stringContaining(advice) },
  ])
})

test.each<[Partial<typeof FILE>, string, string]>([
  [{ isExposed: true }, 'warning', 'chmod'],
  [{ foreignFiles: [`${PATH}-wal`] }, 'failed', 'chown'],
  [{ isFolderUsable: false }, 'failed', 'same user'],
  [{ logBytes: 256 * MEGABYTE + 1 }, 'warning', 'fuser'],
])('a file with %j is a finding of its own: %s', (own, level, advice) => {
  const found = troubles({ ...WELL, file: { ...FILE, ...own } })
  expect(found).toMatchObject([
    { name: 'database', level, advice: expect.stringContaining(advice) },
  ])
})

test('a command to copy takes a path with spaces', () => {
  const path = '/srv/my shop/alibi.db'
  const file = { ...FILE, isExposed: true, foreignFiles: [`${path}-wal`] }
  expect(troubles({ ...WELL, path, file }).map(({ advice }) => advice)).toEqual([
    `chown --reference='${path}' '${path}-wal'`,
    `chmod o-rwx '${path}'*`,
  ])
})

test.each([
  [64 * MEGABYTE - 1, 2 * MEGABYTE, 'failed'],
  [64 * MEGABYTE, 2 * MEGABYTE, 'warning'],
  [256 * MEGABYTE - 1, 2 * MEGABYTE, 'warning'],
  [256 * MEGABYTE, 2 * MEGABYTE, 'ok'],
  [2 * GIGABYTE - 1, GIGABYTE, 'warning'],
  [2 * GIGABYTE, GIGABYTE, 'ok'],
] as const)('%d bytes free beside %d are %s', (freeBytes, bytes, level) => {
  const facts = { ...WELL, disk: { freeBytes }, file: { ...FILE, bytes } }
  expect(checkDatabase(facts).find(({ name }) => name === 'disk')).toMatchObject({ level })
})

test('what waits for the operator is a warning with the command that shows it', () => {
  const work = { givenUp: ['p1', 'p2', 'p3', 'p4'], oldestMessageMs: null, purchasesInReview: 2 }
  expect(troubles({ ...WELL, content: { ...CONTENT, work } })).toMatchObject([
    { name: 'purchases', level: 'warning', advice: 'alibi purchases --review' },
    {
      name: 'outbox',
      level: 'warning',
      text: expect.stringContaining(
        'mails or refunds were given up, of the purchases p1, p2, p3, …',
      ),
      advice: 'alibi purchases show p1',
    },
  ])
})

test('three of them are listed in full', () => {
  const work = { ...WORK, givenUp: ['p1', 'p2', 'p3'], purchasesInReview: 1 }
  expect(troubles({ ...WELL, content: { ...CONTENT, work } }).map(({ text }) => text)).toEqual([
    '1 waits for you: money came that was not asked for',
    'mails or refunds were given up, of the purchases p1, p2, p3',
  ])
})

test.each([
  [2 * HOUR_MS, []],
  [2 * HOUR_MS + 1, ['waiting for 2 hours']],
])('a message that has been waiting for %d ms', (oldestMessageMs, texts) => {
  const content = { ...CONTENT, work: { ...WORK, oldestMessageMs } }
  expect(troubles({ ...WELL, content })).toMatchObject(
    texts.map((text) => ({ level: 'warning', text: expect.stringContaining(text) })),
  )
})
