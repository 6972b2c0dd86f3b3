import { expect, test } from 'bun:test'
import { findingsOn, isHealthy } from '../../../application/doctor/finding.ts'

const { ok, skipped, warning, failed } = findingsOn('disk')

test('a finding says what it is about, and what to do where something is to be done', () => {
  expect(ok('fine')).toEqual({ name: 'disk', level: 'ok', text: 'fine', advice: null })
  expect(skipped('no')).toEqual({ name: 'disk', level: 'skipped', text: 'no', advice: null })
  expect(warning('soon', 'act')).toMatchObject({ level: 'warning', advice: 'act' })
  expect(failed('now', 'act')).toMatchObject({ level: 'failed', advice: 'act' })
})

test('only a failure is unhealthy', () => {
  expect(isHealthy([])).toBe(true)
  expect(isHealthy([ok('a'), skipped('b'), warning('c', 'd')])).toBe(true)
  expect(isHealthy([ok('a'), failed('b', 'c')])).toBe(false)
})
