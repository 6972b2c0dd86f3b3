import { describe, expect, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import {
  ATTEMPTS_MAX,
  attemptOtp,
  confirmMailed,
  EMPTY_OTP_RECORD,
  issueOtp,
  type OtpRecord,
  type OtpSeed,
  parseOtpCode,
} from '../../domain/otp.ts'
import { at, hasEveryKey } from '../support/otp-moves.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { stranger } from '../support/senders.ts'

const CODES = 1_000_000
const LIFETIME_MS = 10 * MINUTE_MS
const TRIES_A_DAY = 40
const ODDS_MAX = 4e-5

/** The stranger asks and tries whenever that is not refused, all day long, and each time from a new network. */
function attackForADay({
  start,
  codeOf,
  guess,
  everyMs,
}: {
  start: OtpRecord
  codeOf: (seed: OtpSeed) => number
  guess: (number: number) => number
  everyMs: number
}) {
  let record = start
  let networks = 0
  let tries = 0
  let hits = 0
  const deriveCode = ({ seed }: { seed: OtpSeed }) => parse(codeOf(seed))
  const act = (action: () => void) => {
    try {
      action()
    } catch {
      // Refused, as most of them are.
    }
  }
  for (let ms = 0; ms < DAY_MS; ms += everyMs) {
    const now = at(ms)
    act(() => {
      const issued = issueOtp(record, {
        freshSeed: String(ms) as OtpSeed,
        hasKey: hasEveryKey,
        lifetimeMs: LIFETIME_MS,
        sender: stranger(++networks),
        mailbox: null,
        now,
      })
      record = confirmMailed(issued.record, issued.otp)
    })
    for (let number = 0; number < ATTEMPTS_MAX + 1; number++) {
      act(() => {
        const code = parse(guess(number))
        const sender = stranger(++networks)
        const attempt = attemptOtp(record, { code, hasKey: hasEveryKey, deriveCode, sender, now })
        record = attempt.record
        if (attempt.outcome !== 'no_code') tries++
        if (attempt.outcome === 'right') hits++
      })
    }
  }
  return { record, tries, hits }
}

function parse(number: number) {
  return parseOtpCode(String(number).padStart(6, '0'))
}

describe('a stranger with any number of networks', () => {
  test.each([1, 3, 7, 16])(
    'has 40 tries a day at one address, asking every %d minutes',
    (minutes) => {
      const everyMs = minutes * MINUTE_MS
      const attack = { codeOf: () => 0, guess: () => 999_999, everyMs }
      const { tries, hits } = attackForADay({ ...attack, start: EMPTY_OTP_RECORD })
      expect({ tries, hits }).toEqual({ tries: TRIES_A_DAY, hits: 0 })
    },
  )

  test('finds a code with at most 4 in 100,000 a day: 40 tries, each at a code that has its five', () => {
    // No two of the five tries of one code are alike. Whoever divides them over more codes has no better odds.
    const missed = (tries: number) => 1 - tries / CODES
    const best = (left: number): number => {
      const tries = Math.min(left, ATTEMPTS_MAX)
      return tries === 0 ? 1 : missed(tries) * best(left - tries)
    }
    expect(1 - best(TRIES_A_DAY)).toBeLessThanOrEqual(ODDS_MAX)
    expect(TRIES_A_DAY / CODES).toBe(ODDS_MAX)
    expect(1 - missed(1) ** TRIES_A_DAY).toBeLessThanOrEqual(ODDS_MAX)
  })

  test('finds a code of 1,000 about as often as the arithmetic says, in 1,000 days', () => {
    const random = seededRandom(14)
    const codesOfTheDay = 1000
    const days = 1000
    let won = 0
    for (let day = 0; day < days; day++) {
      const codes = new Map<OtpSeed, number>()
      const codeOf = (seed: OtpSeed) => {
        const code = codes.get(seed) ?? random.below(codesOfTheDay)
        codes.set(seed, code)
        return code
      }
      const first = random.below(codesOfTheDay)
      const guess = (number: number) => (first + number) % codesOfTheDay
      const everyMs = 16 * MINUTE_MS
      if (attackForADay({ start: EMPTY_OTP_RECORD, codeOf, guess, everyMs }).hits > 0) won++
    }
    const oddsMax = TRIES_A_DAY / codesOfTheDay
    const deviation = Math.sqrt((oddsMax * (1 - oddsMax)) / days)
    expect(won / days).toBeLessThan(oddsMax + 3 * deviation)
    expect(won / days).toBeGreaterThan(oddsMax - 3 * deviation)
  })
})
