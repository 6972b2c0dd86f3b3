import { describe, expect, test } from 'bun:test'
import {
  checkPostgres,
  POSTGRES_SUBJECTS,
  type PostgresContent,
  type PostgresFacts,
  type ServerFacts,
} from '../../../../application/doctor/postgres/check-postgres.ts'
import type { PostgresTrouble } from '../../../../application/doctor/postgres/trouble.ts'
import { HOUR_MS } from '../../../../domain/duration.ts'

const PLACE = 'postgres://alibi@db.internal:5432/alibi'
const CONTENT: PostgresContent = {
  bytes: 12_300_000,
  encoding: 'UTF8',
  isStandby: false,
  isReadOnly: false,
  schema: { state: 'current', version: '0002_b', known: '0002_b' },
  rights: {
    role: 'alibi',
    isSuperuser: false,
    schema: 'public',
    mayCreate: true,
    lacking: [],
    foreignTables: [],
  },
  connections: {
    poolMax: 10,
    replicas: 2,
    hasPooler: false,
    limits: [{ setting: 'max_connections', connections: 97, othersOpen: 5 }],
  },
  durability: {
    fsync: true,
    fullPageWrites: true,
    synchronousCommit: 'on',
    namesSynchronous: true,
    standbys: [{ isSynchronous: true, behindBytes: 4096 }],
  },
  archive: { isOn: true, isFailing: false, lastMs: 240_000 },
  replicas: {
    live: [
      { id: 'one', version: '1.2.0', startedAt: new Date(0) },
      { id: 'other', version: '1.2.0', startedAt: new Date(0) },
    ],
    isLed: true,
  },
  work: { givenUp: [], oldestMessageMs: null, purchasesInReview: 0 },
}
const SERVER: ServerFacts = {
  version: '15.8',
  versionNumber: 150_008,
  roundTripMs: 0.84,
  encryption: { protocol: 'TLSv1.3', isVerified: true },
  aheadMs: 12,
  content: CONTENT,
}

function factsOf(
  content: Partial<PostgresContent>,
  server: Partial<ServerFacts> = {},
  facts: Partial<PostgresFacts> = {},
): PostgresFacts {
  const all = { ...SERVER, content: { ...CONTENT, ...content }, ...server }
  return { place: PLACE, isRemote: true, trouble: null, server: all, ...facts }
}

const troubles = (...facts: Parameters<typeof factsOf>) =>
  checkPostgres(factsOf(...facts)).filter(({ level }) => level === 'warning' || level === 'failed')

test('a PostgreSQL that is well says so, a line for each subject', () => {
  const findings = checkPostgres(factsOf({}))
  expect(findings.map(({ name, level, text }) => [name, level, text])).toEqual([
    [
      'database',
      'ok',
      `${PLACE}, PostgreSQL 15.8, 12.3 MB, schema 0002_b, 0.8 ms for a round trip`,
    ],
    ['tls', 'ok', 'TLSv1.3, with the certificate checked'],
    ['rights', 'ok', 'alibi may do what it has to in the schema public, and is no superuser'],
    ['database clock', 'ok', 'right, as this machine tells the time'],
    ['replicas', 'ok', '2 serve on the database, version 1.2.0'],
    ['connections', 'ok', 'the 2 services open up to 20, and there is room for 92'],
    ['durability', 'ok', 'a commit is on the disk before it is acknowledged'],
    [
      'replication',
      'ok',
      '1 standby, and commits wait for a synchronous one; the last one is 5 kB behind',
    ],
    [
      'backups',
      'ok',
      'the server archives its log, the last piece 4 min ago; whether there is a base backup cannot be seen',
    ],
    ['purchases', 'ok', 'none waits for you'],
    ['outbox', 'ok', 'nothing is stuck'],
  ])
  expect(findings.map(({ name }) => name)).toEqual([...POSTGRES_SUBJECTS])
})

test.each<[PostgresTrouble['kind'], string, string]>([
  ['unknown_name', 'is not known', 'name servers'],
  ['unreachable', 'nobody answers', 'listen_addresses'],
  ['too_late', 'in time', 'firewall'],
  ['certificate', 'does not hold', 'sslrootcert'],
  ['login_refused', 'refuses the role', 'pg_hba.conf'],
  ['no_database', 'no such database', 'CREATE DATABASE'],
  ['too_many_connections', 'no more connections', 'DATABASE_POOL_MAX'],
  ['starting_or_stopping', 'starting or stopping', 'try again'],
  ['failed', 'cannot be asked', 'DATABASE_URL'],
])('one that cannot be asked (%s) fails, with what to do', (kind, text, advice) => {
  const trouble = { kind, code: 'CODE' }
  const findings = checkPostgres({ place: PLACE, isRemote: true, trouble, server: null })
  expect(findings).toMatchObject([{ name: 'database', level: 'failed' }])
  expect(findings[0]?.text).toContain(text)
  expect(findings[0]?.text).toContain(PLACE)
  expect(findings[0]?.advice).toContain(advice)
})

test('one that is too old fails, and is judged no further than its connection', () => {
  const old = { version: '14.12', versionNumber: 140_012, content: null }
  expect(checkPostgres(factsOf({}, old)).map(({ name, level }) => [name, level])).toEqual([
    ['database', 'failed'],
    ['tls', 'ok'],
    ['database clock', 'ok'],
  ])
})

test.each<[string, Partial<PostgresContent>, string]>([
  ['a standby', { isStandby: true }, 'is a standby'],
  ['one that only reads', { isReadOnly: true }, 'only read'],
  ['one that cannot hold every letter', { encoding: 'LATIN1' }, 'LATIN1'],
])('%s fails', (_, content, text) => {
  expect(troubles(content)).toMatchObject([{ name: 'database', level: 'failed' }])
  expect(troubles(content)[0]?.text).toContain(text)
})

test('a standby is not asked for standbys of its own', () => {
  const names = checkPostgres(factsOf({ isStandby: true })).map(({ name }) => name)
  expect(names).not.toContain('replication')
})

test.each([
  ['empty', 'warning', 'is empty'],
  ['older', 'warning', 'alibi migrate'],
  ['newer', 'failed', 'newer executable'],
  ['changed', 'failed', 'executable of a release'],
  ['foreign', 'failed', 'DATABASE_URL'],
] as const)('a schema that is %s is a %s', (state, level, words) => {
  const [finding] = troubles({ schema: { state, version: '0001_a', known: '0002_b' }, work: null })
  expect(finding).toMatchObject({ name: 'database', level })
  expect(`${finding?.text} -> ${finding?.advice}`).toContain(words)
})

test('a schema that the role may not read leads to its rights', () => {
  expect(troubles({ schema: null, work: null })).toMatchObject([
    { name: 'database', level: 'failed', advice: 'see the finding on rights' },
  ])
})

test('one that is far away is a warning, with how far', () => {
  expect(troubles({}, { roundTripMs: 80.2 })).toMatchObject([
    { name: 'database', level: 'warning', text: expect.stringContaining('80 ms') },
  ])
})

describe('the connection', () => {
  const plain = { encryption: null }
  const unverified = { encryption: { protocol: 'TLSv1.3', isVerified: false } }

  test('to another machine is a warning where it is not encrypted, or not to a certain server', () => {
    expect(troubles({}, plain)).toMatchObject([{ name: 'tls', level: 'warning' }])
    expect(troubles({}, unverified)).toMatchObject([{ name: 'tls', level: 'warning' }])
  })

  test('on this machine needs no encryption', () => {
    expect(troubles({}, plain, { isRemote: false })).toEqual([])
    expect(troubles({}, unverified, { isRemote: false })).toEqual([])
  })
})

test.each([
  [0, 'ok'],
  [-4_999, 'ok'],
  [5_000, 'warning'],
  [-5_000, 'warning'],
  [59_999, 'warning'],
  [60_000, 'failed'],
  [-60_000, 'failed'],
] as const)('a machine that is %d ms ahead of the database is %s', (aheadMs, level) => {
  const findings = checkPostgres(factsOf({}, { aheadMs }))
  expect(findings.find(({ name }) => name === 'database clock')).toMatchObject({ level })
})

test('which of the two clocks is behind is said', () => {
  expect(troubles({}, { aheadMs: 7_000 })[0]?.text).toBe("7 s behind this machine's")
  expect(troubles({}, { aheadMs: -7_000 })[0]?.text).toBe("7 s ahead of this machine's")
})

test('what waits for the operator is what it is with any database', () => {
  const work = { givenUp: ['pur_1'], oldestMessageMs: 3 * HOUR_MS, purchasesInReview: 1 }
  expect(troubles({ work }).map(({ name }) => name)).toEqual(['purchases', 'outbox', 'outbox'])
})
