import { describe, expect, test } from 'bun:test'
import { checkArchive } from '../../../../application/doctor/postgres/archive.ts'
import {
  checkDurability,
  checkReplication,
  type DurabilityFacts,
} from '../../../../application/doctor/postgres/durability.ts'

const MEGABYTE = 1024 * 1024
const WELL: DurabilityFacts = {
  fsync: true,
  fullPageWrites: true,
  synchronousCommit: 'on',
  namesSynchronous: true,
  standbys: [{ isSynchronous: true, behindBytes: 0 }],
}

describe('a commit', () => {
  test.each<[string, Partial<DurabilityFacts>, string]>([
    ['without fsync', { fsync: false }, 'failed'],
    ['with synchronous_commit off', { synchronousCommit: 'off' }, 'failed'],
    ['without full pages', { fullPageWrites: false }, 'warning'],
    ['on the disk', {}, 'ok'],
    ['that waits for no standby', { synchronousCommit: 'local' }, 'ok'],
  ])('%s', (_, facts, level) => {
    expect(checkDurability({ ...WELL, ...facts })).toMatchObject([{ name: 'durability', level }])
  })
})

describe('standbys', () => {
  const levels = (facts: Partial<DurabilityFacts>) =>
    checkReplication({ ...WELL, ...facts }).map(({ level }) => level)
  const unseen = { isSynchronous: null, behindBytes: null }
  const following = { isSynchronous: false, behindBytes: 0 }

  test('that are synchronous are well, also where a role may not see more of them', () => {
    expect(levels({})).toEqual(['ok'])
    expect(levels({ standbys: [unseen] })).toEqual(['ok'])
    expect(levels({ standbys: [following, { isSynchronous: true, behindBytes: 0 }] })).toEqual([
      'ok',
    ])
  })

  test('that no commit waits for are a warning, with what a failover loses', () => {
    for (const facts of [
      { namesSynchronous: false },
      { synchronousCommit: 'local' },
      { synchronousCommit: 'off' },
    ]) {
      expect(levels({ ...facts, standbys: [unseen] })).toEqual(['warning'])
    }
    const [finding] = checkReplication({ ...WELL, namesSynchronous: false })
    expect(finding?.text).toContain('can lose payments, codes and log-outs')
    expect(finding?.advice).toContain('synchronous_standby_names')
  })

  test('that commits wait for in vain fail', () => {
    expect(levels({ standbys: [] })).toEqual(['failed'])
    expect(levels({ standbys: [following] })).toEqual(['failed'])
  })

  test('that are not there are not judged', () => {
    expect(levels({ namesSynchronous: false, standbys: [] })).toEqual(['skipped'])
  })

  test('that are far behind are a warning of their own', () => {
    const behind = (behindBytes: number) => [{ isSynchronous: true, behindBytes }]
    expect(levels({ standbys: behind(64 * MEGABYTE - 1) })).toEqual(['ok'])
    expect(levels({ standbys: behind(64 * MEGABYTE) })).toEqual(['ok', 'warning'])
  })
})

test.each([
  ['none', { isOn: false, isFailing: false, lastMs: null }, 'skipped'],
  ['one that fails', { isOn: true, isFailing: true, lastMs: 1 }, 'warning'],
  ['one that has archived nothing yet', { isOn: true, isFailing: false, lastMs: null }, 'ok'],
] as const)('of an archive of the log: %s', (_, facts, level) => {
  expect(checkArchive(facts)).toMatchObject({ name: 'backups', level })
})
