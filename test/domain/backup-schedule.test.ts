import { describe, expect, test } from 'bun:test'
import {
  backupNameOf,
  findBackupsToPrune,
  findNewest,
  formatTimestamp,
  isBackupDue,
  parseBackupName,
  RETRY_AFTER_MS,
} from '../../domain/backup-schedule.ts'
import { DAY_MS } from '../../domain/duration.ts'

const NOW = new Date('2026-11-21T03:00:00.000Z')

/** So many days ago; in the future when negative. */
function daysAgo(days: number) {
  return { at: new Date(NOW.getTime() - days * DAY_MS) }
}

function isDue(ages: readonly number[], failedMsAgo: number | null = null): boolean {
  const failedAt = failedMsAgo === null ? null : new Date(NOW.getTime() - failedMsAgo)
  return isBackupDue(ages.map(daysAgo), { failedAt, everyMs: DAY_MS, now: NOW })
}

describe('the name of a backup', () => {
  test('is its moment in UTC, to the second, and tells it again', () => {
    expect(formatTimestamp(NOW)).toBe('20261121T030000Z')
    expect(backupNameOf(NOW)).toBe('alibi-20261121T030000Z.db')
    expect(parseBackupName('alibi-20261121T030000Z.db')).toEqual(NOW)
    expect(backupNameOf(new Date(NOW.getTime() + 999))).toBe(backupNameOf(NOW))
  })

  test.each([
    'alibi.db',
    'alibi-20261121T030000Z.db.sha256',
    'alibi-20261121T030000Z.db.gz',
    'alibi-20261121T030000Z.db\n',
    'old-alibi-20261121T030000Z.db',
    'alibi-20261121T030000.db',
    'alibi-20261121t030000z.db',
    'alibi-20261131T030000Z.db',
    'alibi-20260230T030000Z.db',
    'alibi-20261121T250000Z.db',
    'alibi-20261121T240000Z.db',
    'alibi-20261121T030060Z.db',
    'Alibi-20261121T030000Z.db',
    'alibi-٢٠٢٦1121T030000Z.db',
    '',
  ])('is none of the service’s: %p', (name) => {
    expect(parseBackupName(name)).toBeNull()
  })
})

describe('a backup', () => {
  test('is due where there is none, and as long after the newest as the schedule says', () => {
    expect(isDue([])).toBe(true)
    expect(isDue([0])).toBe(false)
    expect(isDue([0.999])).toBe(false)
    expect(isDue([1])).toBe(true)
    expect(isDue([9, 5, 1.5])).toBe(true)
    expect(isDue([9, 0.5, 5])).toBe(false)
  })

  test('is due although a clock that was ahead has made some of tomorrow', () => {
    expect(isDue([-400])).toBe(true)
    expect(isDue([-400, 2])).toBe(true)
    expect(isDue([-400, 0.5])).toBe(false)
  })

  test('is tried again ten minutes after a failure, and at once where the clock was set back', () => {
    expect(RETRY_AFTER_MS).toBe(600_000)
    expect(isDue([], 0)).toBe(false)
    expect(isDue([], 599_999)).toBe(false)
    expect(isDue([], 600_000)).toBe(true)
    expect(isDue([0.5], 600_000)).toBe(false)
    expect(isDue([], -1)).toBe(true)
  })
})

describe('the newest backup', () => {
  test('is none of those that a clock that was ahead has made', () => {
    const newest = (ages: readonly number[]) => findNewest(ages.map(daysAgo), { now: NOW })
    expect(newest([])).toBeNull()
    expect(newest([-400])).toBeNull()
    expect(newest([3, 1, -400, 2])).toEqual(daysAgo(1))
    expect(newest([1, 0])).toEqual(daysAgo(0))
  })
})

describe('what is too many', () => {
  function toPrune(ages: readonly number[], keep: number): readonly number[] {
    const backups = ages.map((age) => ({ ...daysAgo(age), age }))
    return findBackupsToPrune(backups, { keep, now: NOW }).map(({ age }) => age)
  }

  test('is the oldest, and nothing up to the number that is kept', () => {
    expect(toPrune([], 3)).toEqual([])
    expect(toPrune([3, 2, 1], 3)).toEqual([])
    expect(toPrune([1, 4, 0, 3, 2], 3)).toEqual([4, 3])
    expect(toPrune([2, 1, 0], 1)).toEqual([2, 1])
  })

  test('is first what a clock that was ahead has made, which would push out all that comes after it', () => {
    expect(toPrune([-400, -401, 1, 0], 2)).toEqual([-400, -401])
    expect(toPrune([-400, 2, 1, 0], 2)).toEqual([-400, 2])
  })

  test('is never the newest of those whose moment has come', () => {
    for (let keep = 1; keep <= 4; keep++) {
      expect(toPrune([-3, -2, -1, 0, 5], keep)).not.toContain(0)
    }
  })
})
