import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import { confirmMailed, EMPTY_OTP_RECORD, parseOtpCode } from '../../domain/otp.ts'
import { NOON } from '../support/fakes.ts'
import {
  at,
  attempt,
  first,
  fresh,
  isRight,
  issue,
  LIFETIME_MS,
  loseMail,
  mail,
  momentsOf,
  second,
  tryWrong,
  WRONG,
} from '../support/otp-moves.ts'

describe('a code', () => {
  test('lives for its lifetime and no longer', () => {
    expect(fresh.otp.expiresAt).toEqual(at(LIFETIME_MS))
    expect(isRight(fresh.record, first, NOON)).toBe(true)
    expect(isRight(fresh.record, first, at(LIFETIME_MS - 1))).toBe(true)
    expect(isRight(fresh.record, first, at(LIFETIME_MS))).toBe(false)
  })

  test('works once', () => {
    const { record, outcome } = attempt(fresh.record, first, NOON)
    expect(outcome).toBe('right')
    expect(isRight(record, first, NOON)).toBe(false)
  })

  test('survives four wrong tries and is dead after the fifth', () => {
    expect(isRight(tryWrong(fresh.record, 4, NOON), first, NOON)).toBe(true)
    expect(isRight(tryWrong(fresh.record, 5, NOON), first, NOON)).toBe(false)
  })

  test('is distinguished from every code that differs in one digit', () => {
    const { record } = mail(EMPTY_OTP_RECORD, '123456', NOON)
    for (let position = 0; position < 6; position++) {
      const near = [...'123456'].with(position, '0').join('')
      expect(isRight(record, parseOtpCode(near), NOON)).toBe(false)
    }
    expect(isRight(record, parseOtpCode('123456'), NOON)).toBe(true)
  })

  test('that is asked for again after five wrong tries is a new one', () => {
    const { record, otp } = mail(tryWrong(fresh.record, 5, NOON), '000002', NOON)
    expect(otp.seed as string).toBe('000002')
    expect(isRight(record, second, NOON)).toBe(true)
    expect(isRight(record, first, NOON)).toBe(false)
  })

  test('that is asked for again after it was used is a new one', () => {
    const used = attempt(fresh.record, first, NOON).record
    expect(mail(used, '000002', NOON).otp.seed as string).toBe('000002')
  })
})

describe('a wrong try', () => {
  test('is counted with its moment', () => {
    const { record, outcome } = attempt(fresh.record, WRONG, at(5))
    expect(outcome).toBe('wrong')
    expect(momentsOf(record.wrongTries)).toEqual([at(5)])
    expect(record.current?.attemptsLeft).toBe(4)
  })

  test('is distinguished from the one that burns the code', () => {
    expect(attempt(tryWrong(fresh.record, 3, NOON), WRONG, NOON).outcome).toBe('wrong')
    expect(attempt(tryWrong(fresh.record, 4, NOON), WRONG, NOON).outcome).toBe('last_wrong')
  })

  test.each([
    ['no code was ever issued', EMPTY_OTP_RECORD, NOON],
    ['the code has expired', fresh.record, at(LIFETIME_MS)],
    ['the code was used', attempt(fresh.record, first, NOON).record, NOON],
    ['the code is dead', tryWrong(fresh.record, 5, NOON), NOON],
  ])('costs nothing where %s', (_, record, now) => {
    expect(attempt(record, WRONG, now)).toEqual({ record, outcome: 'no_code' })
  })

  test('is not given back when the same code is mailed again', () => {
    const again = mail(tryWrong(fresh.record, 3, NOON), '000002', at(1)).record
    expect(isRight(tryWrong(again, 1, at(1)), first, at(1))).toBe(true)
    expect(isRight(tryWrong(again, 2, at(1)), first, at(1))).toBe(false)
  })
})

describe('another request', () => {
  test('mails the same code with the same expiry while half its life is left', () => {
    const { record, otp } = mail(fresh.record, '000002', at(LIFETIME_MS / 2))
    expect(otp).toEqual(fresh.otp)
    expect(record.current).toEqual(fresh.otp)
    expect(record.replacement).toBeNull()
  })

  test('replaces the code once less than half its life is left', () => {
    const now = at(LIFETIME_MS / 2 + 1)
    const { record, otp } = mail(fresh.record, '000002', now)
    expect(otp.seed as string).toBe('000002')
    expect(otp.expiresAt).toEqual(new Date(now.getTime() + LIFETIME_MS))
    expect(isRight(record, second, now)).toBe(true)
    expect(isRight(record, first, now)).toBe(false)
  })

  test('gives a new code its own five tries', () => {
    const now = at(LIFETIME_MS / 2 + 1)
    const { record } = mail(tryWrong(fresh.record, 4, NOON), '000002', now)
    expect(isRight(tryWrong(record, 4, now), second, now)).toBe(true)
  })

  test('leaves the earlier code alone until the new mail went out', () => {
    const now = at(6 * MINUTE_MS)
    const { record, otp } = issue(fresh.record, '000002', now)
    expect(isRight(record, first, now)).toBe(true)
    expect(isRight(record, second, now)).toBe(false)

    const mailed = confirmMailed(record, otp)
    expect(isRight(mailed, first, now)).toBe(false)
    expect(isRight(mailed, second, now)).toBe(true)
  })

  test('leaves the earlier code alone when the mail could not be sent', () => {
    const now = at(6 * MINUTE_MS)
    const record = loseMail(fresh.record, '000002', now)
    expect(isRight(record, first, now)).toBe(true)
    expect(isRight(record, second, now)).toBe(false)
  })

  test('mails the code that could not be sent before', () => {
    const failed = loseMail(fresh.record, '000002', at(6 * MINUTE_MS))
    const { record, otp } = mail(failed, '000003', at(7 * MINUTE_MS))
    expect(otp.seed as string).toBe('000002')
    expect(isRight(record, second, at(7 * MINUTE_MS))).toBe(true)
  })

  test('leaves a code alone that has outlived the one before, until the new mail went out', () => {
    const waiting = issue(fresh.record, '000002', at(6 * MINUTE_MS)).record
    const later = at(12 * MINUTE_MS)
    expect(isRight(waiting, second, later)).toBe(true)

    const record = loseMail(waiting, '000003', later)
    expect(isRight(record, second, later)).toBe(true)
    expect(isRight(record, parseOtpCode('000003'), later)).toBe(false)
  })

  test('whose mail is confirmed late neither revives a used code nor kills a newer one', () => {
    const { record, otp } = issue(fresh.record, '000002', at(6 * MINUTE_MS))
    const used = attempt(record, first, at(6 * MINUTE_MS)).record
    expect(confirmMailed(used, otp)).toEqual(used)

    const newer = mail(used, '000003', at(6 * MINUTE_MS)).record
    expect(confirmMailed(newer, otp)).toEqual(newer)
  })

  test('that counts once the code before it has run out forgets neither mails nor wrong tries', () => {
    const worn = tryWrong(fresh.record, 2, NOON)
    const { record } = issue(worn, '000002', at(6 * MINUTE_MS))
    const later = at(12 * MINUTE_MS)
    const { record: wrong } = attempt(record, WRONG, later)
    expect(momentsOf(wrong.mails)).toEqual([NOON, at(6 * MINUTE_MS)])
    expect(momentsOf(wrong.wrongTries)).toEqual([NOON, NOON, later])

    const { record: used, outcome } = attempt(record, second, later)
    expect(outcome).toBe('right')
    expect(momentsOf(used.mails)).toEqual([NOON, at(6 * MINUTE_MS)])
    expect(momentsOf(used.wrongTries)).toEqual([NOON, NOON])
  })

  test('on its way keeps its wrong tries when the code before it runs out', () => {
    const { record, otp } = issue(fresh.record, '000002', at(6 * MINUTE_MS))
    const worn = tryWrong(record, 5, at(11 * MINUTE_MS))
    expect(isRight(worn, second, at(11 * MINUTE_MS))).toBe(false)
    expect(isRight(confirmMailed(worn, otp), second, at(11 * MINUTE_MS))).toBe(false)
  })
})
