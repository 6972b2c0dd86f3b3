import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { holderLifetimeMs, isHoldersToken, isTokenAlive } from '../../domain/token.ts'
import { NOON } from '../support/fakes.ts'

const at = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)

describe('a token', () => {
  const token = { issuedAt: NOON, expiresAt: at(HOUR_MS) }

  test.each([
    ['the moment it was issued', 0, true],
    ['a millisecond before it expires', HOUR_MS - 1, true],
    ['the moment it expires', HOUR_MS, false],
    ['where the clock was a minute ahead at its issue', -MINUTE_MS, true],
    ['where the clock was further ahead at its issue', -MINUTE_MS - 1, false],
  ])('is alive or not, %s', (_, afterMs, expected) => {
    expect(isTokenAlive(token, at(afterMs))).toBe(expected)
  })
})

describe("a holder's token", () => {
  const issued = { issuedAt: NOON }

  test.each([
    ['is not older than 90 days', 30 * DAY_MS, 90 * DAY_MS],
    ['is not older than a lifetime that is longer', 365 * DAY_MS, 365 * DAY_MS],
  ])('%s', (_, tokenLifetimeMs, age) => {
    expect(isHoldersToken(issued, { tokenLifetimeMs, now: at(age) })).toBe(true)
    expect(isHoldersToken(issued, { tokenLifetimeMs, now: at(age + 1) })).toBe(false)
    expect(holderLifetimeMs(tokenLifetimeMs)).toBe(age)
  })

  test('is not from the future', () => {
    const tokenLifetimeMs = 30 * DAY_MS
    expect(isHoldersToken(issued, { tokenLifetimeMs, now: at(-MINUTE_MS) })).toBe(true)
    expect(isHoldersToken(issued, { tokenLifetimeMs, now: at(-MINUTE_MS - 1) })).toBe(false)
  })
})
