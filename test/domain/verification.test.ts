import { describe, expect, test } from 'bun:test'
import { parseEmail } from '../../domain/email.ts'
import { isVerified, verifyEmail } from '../../domain/verification.ts'
import { NOON } from '../fakes.ts'

const email = parseEmail('ada@example.com')
const LIFETIME_MS = 30 * 60_000

describe('a verification', () => {
  const verification = verifyEmail(email, { lifetimeMs: LIFETIME_MS, now: NOON })

  test('names its address and lives for the whole lifetime', () => {
    expect(verification).toEqual({
      email,
      verifiedAt: NOON,
      expiresAt: new Date('2026-03-01T12:30:00.000Z'),
    })
  })

  test.each([
    ['at once', 0, true],
    ['a millisecond before it ends', LIFETIME_MS - 1, true],
    ['at its end', LIFETIME_MS, false],
    ['later', LIFETIME_MS * 2, false],
  ])('counts or not: %s', (_, afterMs, verified) => {
    expect(isVerified(verification, new Date(NOON.getTime() + afterMs))).toBe(verified)
  })

  test('is needed: an address without one is not verified', () => {
    expect(isVerified(null, NOON)).toBe(false)
  })
})
