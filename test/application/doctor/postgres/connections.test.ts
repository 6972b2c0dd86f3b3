import { expect, test } from 'bun:test'
import {
  type ConnectionFacts,
  checkConnections,
} from '../../../../application/doctor/postgres/connections.ts'

const SERVER = { setting: 'max_connections', connections: 97, othersOpen: 7 } as const
const FACTS: ConnectionFacts = { poolMax: 30, replicas: 3, hasPooler: false, limits: [SERVER] }

test('replicas that can open all their connections are well, to the last one', () => {
  expect(checkConnections(FACTS)).toMatchObject({
    level: 'ok',
    text: 'the 3 services open up to 90, and there is room for 90',
  })
})

test('one connection more is a warning, with the pool that would fit', () => {
  const limits = [{ ...SERVER, othersOpen: 8 }]
  const finding = checkConnections({ ...FACTS, limits })
  expect(finding).toMatchObject({ name: 'connections', level: 'warning' })
  expect(finding.text).toContain('max_connections lets in 97, and others have 8')
  expect(finding.advice).toContain('DATABASE_POOL_MAX to 29')
})

test.each([null, 0])('where %p replicas are known, one is asked for', (replicas) => {
  expect(checkConnections({ ...FACTS, replicas })).toMatchObject({
    level: 'ok',
    text: expect.stringContaining('30'),
  })
})

test('the narrowest limit counts', () => {
  const role = { setting: 'the limit of the role', connections: 20, othersOpen: 0 } as const
  const finding = checkConnections({ ...FACTS, replicas: 1, limits: [SERVER, role] })
  expect(finding).toMatchObject({
    level: 'warning',
    text: expect.stringContaining('the limit of the role lets in 20'),
  })
})

test('a server whose room others have used up is a warning, and no negative number', () => {
  const limits = [{ ...SERVER, othersOpen: 200 }]
  const finding = checkConnections({ ...FACTS, limits })
  expect(finding.text).toContain('room for 0')
  expect(finding.advice).toContain('DATABASE_POOL_MAX to 1,')
})

test('behind a pooler nothing is known', () => {
  expect(checkConnections({ ...FACTS, hasPooler: true })).toMatchObject({ level: 'skipped' })
})
