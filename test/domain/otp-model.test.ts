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
import { hasEveryKey } from '../support/otp-moves.ts'
import { stranger } from '../support/senders.ts'

const LIFETIME_MS = 10 * MINUTE_MS

/** `from` is the network of the stranger. */
type Step =
  | { readonly kind: 'request'; readonly delivered: boolean; readonly from: number }
  | { readonly kind: 'tryRight'; readonly from: number }
  | { readonly kind: 'tryWrong'; readonly times: number; readonly from: number }
  | { readonly kind: 'tryOld'; readonly index: number; readonly from: number }
  | { readonly kind: 'wait'; readonly milliseconds: number }

const from = fc.constantFrom(1, 1, 1, 2, 3)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('request'), delivered: fc.boolean(), from }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tryRight'), from }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('tryWrong'),
      times: fc.integer({ min: 1, max: 6 }),
      from,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('tryOld'), index: fc.nat({ max: 20 }), from }),
  },
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

/** A stranger in one network guesses until it is locked, those in two until all are: chance may lead to neither. */
const GUESSED: [Step[]][] = [[1], [1, 2]].map((networks) => [
  networks.flatMap((network) => Array.from({ length: 4 }, () => guesses(network)).flat()),
])

/** A code, as many tries as it allows, and a pause that allows for the next one. */
function guesses(network: number): Step[] {
  return [
    { kind: 'request', delivered: true, from: network },
    { kind: 'tryWrong', times: 5, from: network },
    { kind: 'wait', milliseconds: 15 * MINUTE_MS },
  ]
}

type Made = { readonly at: number; readonly from: number }

/** What an outsider can know: the mails that arrived and the tries that were made. */
function observe() {
  let now = NOON.getTime()
  let record: OtpRecord = EMPTY_OTP_RECORD
  let live: { seed: string; expiresAt: number } | null = null
  let seeds = 0
  const issued: string[] = []
  const mails: Made[] = []
  const wrong: Made[] = []
  const wrongBySeed = new Map<string, number>()

  const within = (made: Made[], windowMs: number) => made.filter(({ at }) => at > now - windowMs)
  const ofNetwork = (made: Made[], network: number) =>
    within(made, DAY_MS).filter((one) => one.from === network)
  const isLocked = () => within(wrong, DAY_MS).length >= 40
  const isLockedFor = (network: number) => isLocked() || ofNetwork(wrong, network).length >= 20
  const tries = (seed: string, network: number) => ({
    code: parseOtpCode(seed),
    hasKey: hasEveryKey,
    deriveCode: (otp: { seed: OtpSeed }) => parseOtpCode(otp.seed),
    sender: stranger(network),
    now: new Date(now),
  })
  /** Which codes are right when a network brings them that never did before. */
  const rightCodes = () =>
    isLocked()
      ? []
      : issued.filter((seed) => attemptOtp(record, tries(seed, 99)).outcome === 'right')

  function refusalOf(action: () => void): DomainError | null {
    try {
      action()
      return null
    } catch (error) {
      if (error instanceof DomainError) return error
      throw error
    }
  }

  function request(delivered: boolean, network: number) {
    const before = rightCodes()
    const endOf = (counted: Made[], max: number, windowMs: number) =>
      (counted.at(-max)?.at ?? Number.NEGATIVE_INFINITY) + windowMs
    const blockedUntil = Math.max(
      endOf(within(mails, 15 * MINUTE_MS), 5, 15 * MINUTE_MS),
      endOf(within(mails, DAY_MS), 20, DAY_MS),
      endOf(ofNetwork(mails, network), 10, DAY_MS),
    )
    const freshSeed = String(++seeds).padStart(6, '0') as OtpSeed
    const refused = refusalOf(() => {
      const reserved = issueOtp(record, {
        freshSeed,
        hasKey: hasEveryKey,
        lifetimeMs: LIFETIME_MS,
        sender: stranger(network),
        mailbox: null,
        now: new Date(now),
      })
      const { otp, mail } = reserved
      if (otp.seed === freshSeed) issued.push(otp.seed)
      record = delivered
        ? confirmMailed(reserved.record, otp)
        : releaseMail(reserved.record, { mail, otp, mayArrive: true })
      if (live && now < live.expiresAt && live.expiresAt - now >= LIFETIME_MS / 2) {
        expect(otp.seed as string).toBe(live.seed)
        expect(otp.expiresAt.getTime()).toBe(live.expiresAt)
      }
      if (!delivered) return
      mails.push({ at: now, from: network })
      live = { seed: otp.seed, expiresAt: otp.expiresAt.getTime() }
    })
    expect(refused?.retryAt?.getTime() ?? Number.NEGATIVE_INFINITY).toBe(blockedUntil)
    if (before.length > 0 && (refused || !delivered)) expect(rightCodes()).toEqual(before)
  }

  function attempt(seed: string, network: number) {
    const [right] = rightCodes()
    const locked = isLockedFor(network)
    const counted = record.wrongTries
    const refused = refusalOf(() => {
      const result = attemptOtp(record, tries(seed, network))
      record = result.record
      expect(result.outcome === 'right').toBe(seed === right)
      if (result.outcome === 'right') {
        live = null
        expect(rightCodes()).toEqual([])
      } else if (record.wrongTries !== counted) {
        wrong.push({ at: now, from: network })
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
        return request(next.delivered, next.from)
      case 'tryRight':
        return attempt(live?.seed ?? '999999', next.from)
      case 'tryWrong':
        for (let count = 0; count < next.times; count++) attempt('999999', next.from)
        return
      case 'tryOld':
        return attempt(issued[next.index] ?? '999999', next.from)
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
    for (const network of [1, 2, 3]) {
      expect(ofNetwork(mails, network).length).toBeLessThanOrEqual(10)
      expect(ofNetwork(wrong, network).length).toBeLessThanOrEqual(20)
    }
    for (const seed of right) expect(wrongBySeed.get(seed) ?? 0).toBeLessThan(5)
  }

  return { take, check, isLocked, isNetworkLocked: () => isLockedFor(1) }
}

test('whatever is asked, tried and lost, one code at most is right, the mailed one works and no bound is passed', () => {
  let lockedRuns = 0
  let networkLockedRuns = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 120, size: 'max' }), (steps) => {
      const observer = observe()
      let wasLocked = false
      let wasNetworkLocked = false
      for (const next of steps) {
        observer.take(next)
        observer.check()
        wasLocked ||= observer.isLocked()
        wasNetworkLocked ||= observer.isNetworkLocked()
      }
      if (wasLocked) lockedRuns++
      if (wasNetworkLocked && !wasLocked) networkLockedRuns++
    }),
    { numRuns: 150, examples: GUESSED },
  )
  // Otherwise the bounds of 40 and of 20 would not have been put to the test.
  expect([lockedRuns > 0, networkLockedRuns > 0]).toEqual([true, true])
})
