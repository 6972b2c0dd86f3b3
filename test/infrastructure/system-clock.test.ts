import { expect, test } from 'bun:test'
import { systemClock } from '../../infrastructure/system-clock.ts'

test('the system clock tells the time of the machine', () => {
  const before = Date.now()
  const now = systemClock().now().getTime()
  expect(now).toBeGreaterThanOrEqual(before)
  expect(now).toBeLessThanOrEqual(Date.now())
})
