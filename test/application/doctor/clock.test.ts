import { expect, test } from 'bun:test'
import { checkClock } from '../../../application/doctor/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'

const compared = (aheadMs: number) => checkClock({ kind: 'compared', aheadMs, host: 'api.example' })

test.each([
  [0, 'ok', 'right, as api.example tells the time'],
  [-1999, 'ok', 'right'],
  [2000, 'ok', '2 s ahead of api.example'],
  [30_000, 'ok', '30 s ahead'],
  [30_001, 'warning', '30 s ahead'],
  [-30_001, 'warning', '30 s behind'],
  [MINUTE_MS, 'warning', '60 s ahead'],
  [MINUTE_MS + 1, 'failed', '60 s ahead'],
  [-MINUTE_MS, 'warning', '60 s behind'],
  [-MINUTE_MS - 1, 'failed', '60 s behind'],
  [4 * MINUTE_MS, 'failed', 'notifications look old'],
  [-2 * HOUR_MS, 'failed', 'payment pages look too short'],
  [-50 * HOUR_MS, 'failed', '50 h behind'],
] as const)('a clock that is %d ms ahead is %s', (aheadMs, level, text) => {
  const [finding, ...others] = compared(aheadMs)
  expect(others).toEqual([])
  expect(finding).toMatchObject({ name: 'clock', level })
  expect(finding?.text).toContain(text)
  expect(finding?.advice === null).toBe(level === 'ok')
})

test.each([
  [true, 'ok'],
  [false, 'warning'],
  [null, 'skipped'],
] as const)('where nobody was asked, what the system says (%p) is %s', (isSynchronized, level) => {
  const [finding] = checkClock({ kind: 'system', isSynchronized, reason: 'nobody there' })
  expect(finding).toMatchObject({ level })
  expect(finding?.text).toContain('nobody there')
})
