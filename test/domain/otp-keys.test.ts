import { describe, expect, test } from 'bun:test'
import { confirmMailed, EMPTY_OTP_RECORD, type Otp, type OtpCode } from '../../domain/otp.ts'
import { NOON } from '../support/fakes.ts'
import {
  anyStranger,
  at,
  attempt,
  first,
  fresh,
  hasNoKeyOf,
  isRight,
  issue,
  LIFETIME_MS,
  mail,
  second,
  WRONG,
} from '../support/otp-moves.ts'

// The key of a code is not there where the secret was rolled twice, or where only another service has been given it.

const hasKey = hasNoKeyOf('000001')
const tryIt = (record: typeof fresh.record, code: OtpCode, now: Date) =>
  attempt(record, code, now, anyStranger(), hasKey)

describe('a code whose key is not there', () => {
  test.each([
    ['right', first],
    ['wrong', WRONG],
  ])('is not looked at: a %s try costs nothing, and leaves it to who has the key', (_, code) => {
    const { record, outcome } = tryIt(fresh.record, code, NOON)
    expect(outcome).toBe('no_code')
    expect(record).toBe(fresh.record)
  })

  test('is not mailed again: the next mail has a new code, which counts at once', () => {
    const { record, otp } = mail(fresh.record, '000002', at(1), { hasKey })
    expect(otp.seed as string).toBe('000002')
    expect(record.current).toEqual(otp)
    expect(isRight(record, first, at(1))).toBe(false)
    expect(tryIt(record, second, at(1)).outcome).toBe('right')
  })

  test('does not hold up a new one in the second half of its life', () => {
    const now = at(LIFETIME_MS / 2 + 1)
    const { record, otp } = issue(fresh.record, '000002', now, { hasKey })
    expect([record.current, record.replacement]).toEqual([otp, null])
  })

  test('counts among the mails as any other', () => {
    let { record } = fresh
    for (const seed of ['000002', '000003', '000004', '000005']) {
      const withoutKeys = hasNoKeyOf('000001', '000002', '000003', '000004')
      record = mail(record, seed, NOON, { hasKey: withoutKeys }).record
    }
    expect(() => issue(record, '000006', NOON)).toThrow('too_many_mails')
  })

  test('that was on its way to replace one gives way, and the one that counts goes on to count', () => {
    const now = at(LIFETIME_MS / 2 + 1)
    const kept = mail(EMPTY_OTP_RECORD, '000002', NOON)
    const waiting = issue(kept.record, '000001', now).record
    expect(tryIt(waiting, second, now).outcome).toBe('right')

    const { record, otp } = issue(waiting, '000003', now, { hasKey })
    expect([record.current, record.replacement]).toEqual([kept.otp, otp])
  })

  test('keeps the one that is to replace it waiting, so that two are never right at once', () => {
    const now = at(LIFETIME_MS / 2 + 1)
    const waiting = issue(fresh.record, '000002', now).record
    expect(tryIt(waiting, second, now).outcome).toBe('no_code')

    const { record, otp } = issue(waiting, '000003', now, { hasKey })
    expect(otp).toEqual(waiting.replacement as Otp)
    expect(tryIt(confirmMailed(record, otp), second, now).outcome).toBe('right')
  })
})
