import { expect, test } from 'bun:test'
import { checkBackups } from '../../../application/doctor/backups.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'

const FACTS = { folder: '/backups', everyMs: DAY_MS, newest: null, trouble: null }
const aged = (ageMs: number) => checkBackups({ ...FACTS, newest: { ageMs, bytes: 2_000_000 } })

test.each([
  [5 * MINUTE_MS, 'ok', '5 min old, 2.0 MB'],
  [HOUR_MS, 'ok', ' 1 h old'],
  [47 * HOUR_MS, 'ok', '47 h old'],
  [2 * DAY_MS, 'ok', '2 days old'],
  [2 * DAY_MS + 1, 'warning', '2 days old'],
  [-HOUR_MS, 'ok', '0 min old'],
] as const)('a backup of %d ms, where one is made each day, is %s', (ageMs, level, text) => {
  const [finding] = aged(ageMs)
  expect(finding).toMatchObject({ name: 'backups', level, text: expect.stringContaining(text) })
})

test('no backups are a warning, with the setting', () => {
  expect(checkBackups(null)).toMatchObject([
    { level: 'warning', text: expect.stringContaining('BACKUP_DIR') },
  ])
  expect(checkBackups(FACTS)).toMatchObject([
    { level: 'warning', text: expect.stringContaining('/backups') },
  ])
})

test('a folder that cannot be read fails', () => {
  expect(checkBackups({ ...FACTS, trouble: 'EACCES' })).toMatchObject([
    { level: 'failed', text: expect.stringContaining('EACCES') },
  ])
})
