import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS, parseDuration, SECOND_MS } from '../../domain/duration.ts'

describe('a duration', () => {
  test('is counted in milliseconds', () => {
    expect([SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS]).toEqual([1000, 60_000, 3_600_000, 86_400_000])
  })

  test.each([
    ['1s', 1000],
    ['45s', 45_000],
    ['10m', 600_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
    ['3650d', 315_360_000_000],
    ['999999999d', 999_999_999 * 86_400_000],
  ])('%s is %d milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })

  test.each([
    ['0s'],
    ['00d'],
    ['01d'],
    ['-1d'],
    ['+1d'],
    ['1.5h'],
    ['1e3s'],
    ['30'],
    ['d'],
    [''],
    ['30D'],
    ['1w'],
    ['1h30m'],
    ['10 m'],
    [' 10m'],
    ['10m '],
    ['10m\n'],
    ['10min'],
    ['١d'],
    ['1000000000s'],
    ['infinity'],
    ['1constructor'],
  ])('%j is none', (text) => {
    expect(parseDuration(text)).toBeNull()
  })
})
