import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { DomainError } from '../../domain/errors.ts'
import {
  attemptOtp,
  EMPTY_OTP_RECORD,
  type Otp,
  type OtpRecord,
  parseOtpCode,
  releaseMail,
} from '../../domain/otp.ts'
import { NOON } from '../support/fakes.ts'
import {
  anyStranger,
  at,
  attempt,
  codeOf,
  first,
  hasEveryKey,
  isRight,
  issue,
  loseMail,
  mail,
  momentsOf,
  refusal,
  second,
  tryWrong,
  WRONG,
} from '../support/otp-moves.ts'
import { stranger } from '../support/senders.ts'

describe('mails to one address', () => {
  /** As many mails as given, a minute apart, each with its own code. */
  function mailMany(count: number, everyMs: number, record = EMPTY_OTP_RECORD): OtpRecord {
    let next = record
    for (let index = 0; index < count; index++) {
      next = mail(next, String(index).padStart(6, '0'), at(index * everyMs)).record
    }
    return next
  }

  test('are at most five within 15 minutes, and the next is allowed at an exact moment', () => {
    const full = mailMany(5, MINUTE_MS)
    const retryAt = at(15 * MINUTE_MS)
    const justBefore = at(15 * MINUTE_MS - 1)

    for (const now of [at(4 * MINUTE_MS), justBefore]) {
      const refused = refusal(() => issue(full, '000009', now))
      expect(refused).toEqual(new DomainError('too_many_mails', retryAt))
    }
    expect(issue(full, '000009', retryAt).record.mails).toHaveLength(6)
  })

  test('are at most 20 within 24 hours, and the next is allowed at an exact moment', () => {
    const full = mailMany(20, 20 * MINUTE_MS)
    const retryAt = at(DAY_MS)
    const refused = refusal(() => issue(full, '000099', at(DAY_MS - 1)))
    expect(refused).toEqual(new DomainError('too_many_mails', retryAt))
    expect(issue(full, '000099', retryAt).otp.seed as string).toBe('000099')
  })

  test('wait for the later of the two windows', () => {
    // 15 spread mails and 5 in a row: the day's window opens only when the first mail is a day old.
    let record = mailMany(15, 20 * MINUTE_MS)
    for (let index = 0; index < 5; index++) {
      record = mail(record, '000050', at(DAY_MS - MINUTE_MS + index)).record
    }
    const refused = refusal(() => issue(record, '000099', at(DAY_MS - MINUTE_MS + 10)))
    expect(refused).toHaveProperty('retryAt', at(DAY_MS + 14 * MINUTE_MS))
  })

  test('that are refused leave the last code alive', () => {
    const full = mailMany(5, 1)
    refusal(() => issue(full, '000009', at(10)))
    expect(isRight(full, parseOtpCode('000000'), at(10))).toBe(true)
  })

  test('count whether they carry the same code or a new one', () => {
    const full = mailMany(5, 1)
    expect(full.mails).toHaveLength(5)
    expect(refusal(() => issue(full, '000009', at(10)))).toBeInstanceOf(DomainError)
  })

  test('do not count when they could not be sent', () => {
    let record = mailMany(4, 1)
    for (let count = 0; count < 30; count++) record = loseMail(record, '000009', at(10))
    expect(record.mails).toHaveLength(4)
    expect(refusal(() => mail(record, '000009', at(10)).record)).not.toBeInstanceOf(DomainError)
  })

  test('of the same millisecond are uncounted one by one', () => {
    const way = { sender: stranger(1) }
    const { record: first, mail: lost, otp } = issue(EMPTY_OTP_RECORD, '000001', NOON, way)
    const release = (record: OtpRecord, mailedAt = NOON) =>
      releaseMail(record, { mail: { ...lost, at: mailedAt }, otp, mayArrive: true })
    const one = release(issue(first, '000002', NOON, way).record)
    expect(momentsOf(one.mails)).toEqual([NOON])
    expect(release(one).mails).toEqual([])
    expect(momentsOf(release(one, at(1)).mails)).toEqual([NOON])
  })

  test('are forgotten after a day, so that a record does not grow', () => {
    const full = tryWrong(mailMany(20, 20 * MINUTE_MS), 3, at(19 * 20 * MINUTE_MS))
    const { record } = mail(full, '000099', at(3 * DAY_MS))
    expect(momentsOf(record.mails)).toEqual([at(3 * DAY_MS)])
    expect(record.wrongTries).toEqual([])
  })
})

describe('wrong tries against one address', () => {
  /** As many wrong tries, each code given the five it has. */
  function wrongTries(count: number, now: Date): OtpRecord {
    let record = EMPTY_OTP_RECORD
    for (let left = count; left > 0; left -= 5) {
      const renewed = { ...record, mails: [] }
      record = tryWrong(mail(renewed, '000001', now).record, Math.min(left, 5), now)
    }
    return { ...record, mails: [] }
  }

  test('are at most 40 in 24 hours: then every code is refused until an exact moment', () => {
    const { record } = mail(wrongTries(40, NOON), '000001', at(DAY_MS - MINUTE_MS))
    for (const code of [WRONG, first]) {
      const refused = refusal(() => attempt(record, code, at(DAY_MS - 1)))
      expect(refused).toEqual(new DomainError('too_many_wrong_codes', at(DAY_MS)))
    }
    expect(isRight(record, first, at(DAY_MS))).toBe(true)
  })

  test('are refused without a code being looked at', () => {
    const { record } = mail(wrongTries(40, NOON), '000001', NOON)
    let lookedAt = 0
    const deriveCode = (otp: Otp) => {
      lookedAt++
      return codeOf(otp)
    }
    refusal(() =>
      attemptOtp(record, {
        code: first,
        hasKey: hasEveryKey,
        deriveCode,
        sender: anyStranger(),
        now: NOON,
      }),
    )
    expect(lookedAt).toBe(0)
  })

  test('leave the 40th try its chance', () => {
    expect(isRight(mail(wrongTries(39, NOON), '000001', NOON).record, first, NOON)).toBe(true)
  })

  test('are refused also where no code lives', () => {
    const record = { ...wrongTries(40, NOON), current: null }
    expect(refusal(() => attempt(record, first, NOON))).toBeInstanceOf(DomainError)
  })

  test('are not forgotten by a right code or a new one', () => {
    const used = attempt(mail(wrongTries(39, NOON), '000001', NOON).record, first, NOON).record
    const { record } = mail(used, '000002', NOON)
    const full = tryWrong(record, 1, NOON)
    expect(full.wrongTries).toHaveLength(40)
    expect(refusal(() => attempt(full, second, NOON))).toBeInstanceOf(DomainError)
  })

  test('leave the window one by one', () => {
    let record = wrongTries(35, NOON)
    record = tryWrong(mail(record, '000001', at(HOUR_MS)).record, 5, at(HOUR_MS))
    expect(refusal(() => attempt(record, first, at(DAY_MS - 1)))).toBeInstanceOf(DomainError)

    const renewed = mail(record, '000002', at(DAY_MS)).record
    expect(tryWrong(renewed, 1, at(DAY_MS)).wrongTries).toHaveLength(6)
  })

  test('do not stop mails', () => {
    const { record } = mail(wrongTries(40, NOON), '000002', NOON)
    expect(momentsOf(record.mails)).toEqual([NOON])
    expect(record.current?.seed as string).toBe('000002')
  })
})
