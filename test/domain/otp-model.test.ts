import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { DomainError } from '../../domain/errors.ts'
import {
  attemptOtp,
  confirmMailed,
  EMPTY_OTP_RECORD,
  issueOtp,
  type OtpRecord,
  type OtpSeed,
  parseOtpCode,
  releaseMail,
} from '../../domain/otp.ts'
import { NOON } from '../support/fakes.ts'

const LIFETIME_MS = 10 * MINUTE_MS

type Step =
  | { readonly kind: 'request'; readonly delivered: boolean }
  | { readonly kind: 'tryRight' }
  | { readonly kind: 'tryWrong'; readonly times: number }
  | { readonly kind: 'tryOld'; readonly index: number }
  | { readonly kind: 'wait'; readonly milliseconds: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('request'), delivered: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tryRight') }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('tryWrong'), times: fc.integer({ min: 1, max: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tryOld'), index: fc.nat({ max: 20 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      milliseconds: fc.constantFrom(
        1,
        MINUTE_MS,
        4 * MINUTE_MS,
        LIFETIME_MS / 2,
        LIFETIME_MS - 1,
        15 * MINUTE_MS,
        HOUR_MS,
        DAY_MS / 2,
      ),
    }),
  },
)

/** What an outsider can know: the mails that arrived and the tries that were made. */
function observe() {
  let now = NOON.getTime()
  let record: OtpRecord = EMPTY_OTP_RECORD
  let live: { seed: string; expiresAt: number } | null = null
  let seeds = 0
  const issued: string[] = []
  const mails: number[] = []
  const wrong: number[] = []
  const wrongBySeed = new Map<string, number>()

  const within = (moments: number[], windowMs: number) =>
    moments.filter((moment) => moment > now - windowMs)
  const isLocked = () => within(wrong, DAY_MS).length >= 40
  const tries = (seed: string) => ({
    code: parseOtpCode(seed),
    deriveCode: (otp: { seed: OtpSeed }) => parseOtpCode(otp.seed),
    now: new Date(now),
  })
  const rightCodes = () =>
    isLocked() ? [] : issued.filter((seed) => attemptOtp(record, tries(seed)).outcome === 'right')

  function refusalOf(action: () => void): DomainError | null {
    try {
      action()
      return null
    } catch (error) {
      if (error instanceof DomainError) return error
      throw error
    }
  }

  function request(delivered: boolean) {
    const before = rightCodes()
    const blockedUntil = Math.max(
      (within(mails, 15 * MINUTE_MS).at(-5) ?? Number.NEGATIVE_INFINITY) + 15 * MINUTE_MS,
      (within(mails, DAY_MS).at(-20) ?? Number.NEGATIVE_INFINITY) + DAY_MS,
    )
    const freshSeed = String(++seeds).padStart(6, '0') as OtpSeed
    const refused = refusalOf(() => {
      const reserved = issueOtp(record, { freshSeed, lifetimeMs: LIFETIME_MS, now: new Date(now) })
      const { otp } = reserved
      if (otp.seed === freshSeed) issued.push(otp.seed)
      record = delivered
        ? confirmMailed(reserved.record, otp)
        : releaseMail(reserved.record, new Date(now))
      if (live && now < live.expiresAt && live.expiresAt - now >= LIFETIME_MS / 2) {
        expect(otp.seed as string).toBe(live.seed)
        expect(otp.expiresAt.getTime()).toBe(live.expiresAt)
      }
      if (!delivered) return
      mails.push(now)
      live = { seed: otp.seed, expiresAt: otp.expiresAt.getTime() }
    })
    expect(refused?.retryAt?.getTime() ?? Number.NEGATIVE_INFINITY).toBe(blockedUntil)
    if (before.length > 0 && (refused || !delivered)) expect(rightCodes()).toEqual(before)
  }

  function attempt(seed: string) {
    const [right] = rightCodes()
    const locked = isLocked()
    const counted = record.wrongTriesAt
    const refused = refusalOf(() => {
      const result = attemptOtp(record, tries(seed))
      record = result.record
      expect(result.outcome === 'right').toBe(seed === right)
      if (result.outcome === 'right') {
        live = null
        expect(rightCodes()).toEqual([])
      } else if (record.wrongTriesAt !== counted) {
        wrong.push(now)
        if (right === undefined) return
        const wrongTries = (wrongBySeed.get(right) ?? 0) + 1
        wrongBySeed.set(right, wrongTries)
        expect(result.outcome).toBe(wrongTries === 5 ? 'last_wrong' : 'wrong')
        if (wrongTries === 5 && live?.seed === right) live = null
      }
    })
    expect(refused?.refusal ?? null).toBe(locked ? 'too_many_wrong_codes' : null)
  }

  function take(next: Step) {
    switch (next.kind) {
      case 'request':
        return request(next.delivered)
      case 'tryRight':
        return attempt(live?.seed ?? '999999')
      case 'tryWrong':
        for (let count = 0; count < next.times; count++) attempt('999999')
        return
      case 'tryOld':
        return attempt(issued[next.index] ?? '999999')
      case 'wait':
        now += next.milliseconds
    }
  }

  function check() {
    if (live && now >= live.expiresAt) live = null
    const right = rightCodes()
    expect(right.length).toBeLessThanOrEqual(1)
    if (live && !isLocked()) expect(right).toEqual([live.seed])
    expect(within(mails, 15 * MINUTE_MS).length).toBeLessThanOrEqual(5)
    expect(within(mails, DAY_MS).length).toBeLessThanOrEqual(20)
    expect(within(wrong, DAY_MS).length).toBeLessThanOrEqual(40)
    for (const seed of right) expect(wrongBySeed.get(seed) ?? 0).toBeLessThan(5)
  }

  return { take, check, wasLocked: isLocked }
}

test('whatever is asked, tried and lost, one code at most is right, the mailed one works and no bound is passed', () => {
  let lockedRuns = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 120, size: 'max' }), (steps) => {
      const observer = observe()
      let wasLocked = false
      for (const next of steps) {
        observer.take(next)
        observer.check()
        wasLocked ||= observer.wasLocked()
      }
      if (wasLocked) lockedRuns++
    }),
    { numRuns: 150 },
  )
  // Otherwise the bound of 40 would not have been put to the test.
  expect(lockedRuns).toBeGreaterThan(0)
})
