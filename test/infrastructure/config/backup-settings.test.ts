import { expect, test } from 'bun:test'
import { DAY_MS } from '../../../domain/duration.ts'
import { development, problemsOf } from '../../support/config-loading.ts'

test('without a folder there are no backups, and nothing says otherwise', () => {
  expect(development().backup).toBeNull()
  expect(development({ BACKUP_DIR: '' }).backup).toBeNull()
  for (const [name, value] of [
    ['BACKUP_SCHEDULE', '1d'],
    ['BACKUP_KEEP', '7'],
  ] as const) {
    expect(problemsOf(() => development({ [name]: value }))).toEqual([
      `${name} needs BACKUP_DIR, without which no backups are made: set that, or leave it unset`,
    ])
  }
})

test('with a folder there is one a day, and a week of them is kept', () => {
  expect(development({ BACKUP_DIR: '/backups' }).backup).toEqual({
    folder: '/backups',
    everyMs: DAY_MS,
    keep: 7,
  })
})

test('how often and how many can be set', () => {
  const settings = { BACKUP_DIR: '/b', BACKUP_SCHEDULE: '6h', BACKUP_KEEP: '28' }
  expect(development(settings).backup).toEqual({ folder: '/b', everyMs: DAY_MS / 4, keep: 28 })
})

test('what makes no sense is named with what it must look like', () => {
  const settings = { BACKUP_DIR: 'a\nb', BACKUP_SCHEDULE: '31d', BACKUP_KEEP: '0' }
  expect(problemsOf(() => development(settings))).toEqual([
    'BACKUP_DIR must be the path of a folder',
    'BACKUP_SCHEDULE must be a duration such as 45s, 10m, 2h or 30d, at most 30d',
    'BACKUP_KEEP must be a whole number from 1 to 10000',
  ])
})
