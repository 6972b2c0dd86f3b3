import { describe, expect, test } from 'bun:test'
import { isGuessing } from '../../domain/guessing-alarm.ts'

describe('the alarm about wrong codes', () => {
  test.each([
    [0, false],
    [199, false],
    [200, true],
    [10_000, true],
  ])('goes off at 200 an hour: %i', (wrongTries, expected) => {
    expect(isGuessing(false, wrongTries)).toBe(expected)
  })

  test.each([
    [10_000, true],
    [199, true],
    [100, true],
    [99, false],
    [0, false],
  ])('ends only below 100: %i', (wrongTries, expected) => {
    expect(isGuessing(true, wrongTries)).toBe(expected)
  })
})
