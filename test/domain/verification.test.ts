import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MINUTE_MS } from '../../domain/duration.ts'
import { parseEmail } from '../../domain/email.ts'
import { type Epoch, FIRST_EPOCH, nextEpoch } from '../../domain/log-out.ts'
import {
  allowsCheckout,
  isProvenBy,
  isVerified,
  newVerification,
} from '../../domain/verification.ts'
import { NOON, NOON_EPOCH } from '../support/fakes.ts'
import { CHALLENGE, OTHER_CHALLENGE } from '../support/proof-key.ts'

const email = parseEmail('ada@example.com')
const LIFETIME_MS = 30 * MINUTE_MS

const after = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)

describe('a verification', () => {
  const verification = newVerification(email, { lifetimeMs: LIFETIME_MS, now: NOON })

  test('names its address and lives for the whole lifetime', () => {
    expect(verification).toEqual({
      email,
      verifiedAt: NOON,
      expiresAt: new Date('2026-03-01T12:30:00.000Z'),
      codeChallenge: null,
      epoch: FIRST_EPOCH,
    })
  })

  test.each([
    ['at once', 0, true],
    ['a millisecond before it ends', LIFETIME_MS - 1, true],
    ['at its end', LIFETIME_MS, false],
    ['later', LIFETIME_MS * 2, false],
    ['where the clock was a minute ahead when it was made', -MINUTE_MS, true],
    ['where the clock was further ahead when it was made', -MINUTE_MS - 1, false],
  ])('counts or not: %s', (_, afterMs, verified) => {
    expect(isVerified(verification, after(afterMs))).toBe(verified)
  })

  test('is needed: an address without one is not verified', () => {
    expect(isVerified(null, NOON)).toBe(false)
  })
})

describe('the browser that proved an address', () => {
  const lifetimeMs = LIFETIME_MS
  const epoch = NOON_EPOCH
  const proof = { codeChallenge: CHALLENGE, epoch, lifetimeMs, now: NOON }
  const verification = newVerification(email, proof)
  const brought = { codeChallenge: CHALLENGE, loggedOutIn: null, now: NOON }

  test('is known by its challenge, which the verification remembers', () => {
    expect(verification.codeChallenge).toBe(CHALLENGE)
    expect(isProvenBy(verification, brought)).toBe(true)
  })

  test('is none that brings another challenge, or any where nothing is remembered', () => {
    expect(isProvenBy(verification, { ...brought, codeChallenge: OTHER_CHALLENGE })).toBe(false)
    expect(isProvenBy(newVerification(email, { lifetimeMs, now: NOON }), brought)).toBe(false)
    expect(isProvenBy(null, brought)).toBe(false)
  })

  test.each([
    ['a millisecond before the verification ends', LIFETIME_MS - 1, true],
    ['at its end', LIFETIME_MS, false],
  ])('is let in or not: %s', (_, afterMs, isProven) => {
    expect(isProvenBy(verification, { ...brought, now: after(afterMs) })).toBe(isProven)
  })

  test.each([
    ['long before', -1000, true],
    ['right before', 0, true],
    ['right after', 1, false],
    ['long after', 1000, false],
  ])('is let in or not when the address logged out everywhere %s', (_, epochs, isProven) => {
    const loggedOutIn = (epoch + epochs) as Epoch
    expect(isProvenBy(verification, { ...brought, loggedOutIn })).toBe(isProven)
  })

  test('is never let in after a log-out, whatever the clock did before it', () => {
    const moments = fc.integer({ min: -1000, max: LIFETIME_MS })
    fc.assert(
      fc.property(fc.array(moments), moments, moments, (earlier, at, later) => {
        const begin = (known: Epoch, ms: number) => nextEpoch(known, after(ms))
        const epoch = earlier.reduce(begin, FIRST_EPOCH)
        const verification = newVerification(email, { ...proof, epoch })
        const now = after(later)
        expect(isProvenBy(verification, { ...brought, loggedOutIn: epoch, now })).toBe(
          isVerified(verification, now),
        )
        const loggedOutIn = begin(epoch, at)
        expect(isProvenBy(verification, { ...brought, loggedOutIn, now })).toBe(false)
      }),
    )
  })
})

describe('a checkout', () => {
  const lifetimeMs = LIFETIME_MS
  const challenged = newVerification(email, { codeChallenge: CHALLENGE, lifetimeMs, now: NOON })
  const plain = newVerification(email, { lifetimeMs, now: NOON })

  test.each([
    ['the browser that proved the address', challenged, CHALLENGE, true],
    ['one that brings nothing', challenged, null, false],
    ['one that brings the challenge of another', challenged, OTHER_CHALLENGE, false],
    ['anyone, where the proof was without a challenge', plain, null, true],
    ['anyone with a challenge, where the proof was without one', plain, OTHER_CHALLENGE, true],
    ['one without a verification', null, CHALLENGE, false],
  ])('is for %s, or not', (_, verification, codeChallenge, allowed) => {
    expect(allowsCheckout(verification, { codeChallenge, now: NOON })).toBe(allowed)
  })

  test.each([
    ['a millisecond before the verification ends', LIFETIME_MS - 1, true],
    ['at its end', LIFETIME_MS, false],
  ])('is allowed or not: %s', (_, afterMs, allowed) => {
    const now = after(afterMs)
    expect(allowsCheckout(challenged, { codeChallenge: CHALLENGE, now })).toBe(allowed)
    expect(allowsCheckout(plain, { codeChallenge: null, now })).toBe(allowed)
  })
})
