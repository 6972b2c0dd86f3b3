import { expect, test } from 'bun:test'
import { checkRights, type RightsFacts } from '../../../../application/doctor/postgres/rights.ts'

const WELL: RightsFacts = {
  role: 'alibi',
  isSuperuser: false,
  schema: 'alibi',
  mayCreate: true,
  lacking: [],
  foreignTables: [],
}
const CURRENT = { state: 'current', version: '0001_a', known: '0001_a' } as const
const OLDER = { ...CURRENT, state: 'older' } as const
const EMPTY = { ...CURRENT, state: 'empty' } as const

test('a role without a schema fails, with how to make one', () => {
  const [finding] = checkRights({ ...WELL, schema: null, role: 'web-shop' }, EMPTY)
  expect(finding).toMatchObject({ name: 'rights', level: 'failed' })
  expect(finding?.advice).toContain('CREATE SCHEMA AUTHORIZATION "web-shop"')
})

test('a right that is missing on a table fails, and names both', () => {
  const lacking = [
    { table: 'audit_entries', rights: ['UPDATE', 'DELETE'] },
    { table: 'otps', rights: ['SELECT'] },
  ]
  expect(checkRights({ ...WELL, lacking }, CURRENT)).toMatchObject([
    {
      level: 'failed',
      text: 'alibi may not UPDATE, DELETE on audit_entries, and so on for 1 more',
    },
  ])
  expect(checkRights({ ...WELL, lacking }, null)).toMatchObject([{ level: 'failed' }])
})

test.each([
  ['may make no table', { mayCreate: false }],
  ['owns not all tables', { foreignTables: ['a', 'b', 'c', 'd'] }],
])('a role that %s fails where a migration is due, and is else a warning', (_, facts) => {
  expect(checkRights({ ...WELL, ...facts }, CURRENT)).toMatchObject([{ level: 'warning' }])
  expect(checkRights({ ...WELL, ...facts }, OLDER)).toMatchObject([{ level: 'failed' }])
  expect(checkRights({ ...WELL, ...facts }, EMPTY)).toMatchObject([{ level: 'failed' }])
})

test('a superuser is a warning', () => {
  expect(checkRights({ ...WELL, isSuperuser: true }, CURRENT)).toMatchObject([{ level: 'warning' }])
})

test('in the schema of something else only the role itself is judged', () => {
  const foreign = { ...CURRENT, state: 'foreign' } as const
  expect(checkRights({ ...WELL, mayCreate: false }, foreign)).toMatchObject([{ level: 'ok' }])
})
