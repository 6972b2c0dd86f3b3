import { expect, test } from 'bun:test'
import { isFromFuture } from '../../domain/clock-skew.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import { NOON } from '../support/fakes.ts'

test.each([
  ['what was made now', 0, false],
  ['what was made a day ago', -DAY_MS, false],
  ['what says a minute from now', MINUTE_MS, false],
  ['what says a millisecond more', MINUTE_MS + 1, true],
  ['what says tomorrow', DAY_MS, true],
])('%s, at %p ms from now, is from the future: %p', (_, fromNowMs, expected) => {
  expect(isFromFuture(new Date(NOON.getTime() + fromNowMs), NOON)).toBe(expected)
})
