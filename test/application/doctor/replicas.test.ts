import { expect, test } from 'bun:test'
import { checkReplicas } from '../../../application/doctor/replicas.ts'
import type { Replica } from '../../../application/upkeep/replicas.ts'
import { NOON } from '../../support/fakes.ts'

const replica = (version: string): Replica => ({
  id: crypto.randomUUID(),
  version,
  startedAt: NOON,
})
const levels = (live: readonly Replica[], isLed = true) =>
  checkReplicas({ live, isLed }).map(({ level, text }) => `${level} ${text}`)

test('replicas of one release are told by their number and version', () => {
  expect(levels([replica('1.4.0')])).toEqual(['ok 1 serves on the database, version 1.4.0'])
  expect(levels([replica('1.4.0'), replica('1.4.0')])).toEqual([
    'ok 2 serve on the database, version 1.4.0',
  ])
})

test('different releases are counted, and the upgrade is to be finished', () => {
  const findings = checkReplicas({
    live: [replica('1.4.0'), replica('1.5.0'), replica('1.4.0')],
    isLed: true,
  })
  expect(findings).toEqual([
    {
      name: 'replicas',
      level: 'warning',
      text: '3 serve on the database, of different versions: 1.4.0 (2), 1.5.0 (1)',
      advice: expect.stringContaining('upgrade'),
    },
  ])
})

test('that nobody works in the background is a warning, where somebody serves', () => {
  expect(levels([replica('1.4.0')], false)).toEqual([
    'ok 1 serves on the database, version 1.4.0',
    expect.stringMatching(/^warning none works in the background/),
  ])
  expect(levels([], false)).toEqual(['skipped none serves on the database'])
})
