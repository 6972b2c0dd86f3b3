import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { DomainError } from '../../domain/errors.ts'
import type { MailboxDigest } from '../../domain/mailbox.ts'
import { EMPTY_OTP_RECORD, type OtpRecord, releaseMail } from '../../domain/otp.ts'
import { NOON } from '../support/fakes.ts'
import {
  at,
  attempt,
  first,
  fresh,
  isRight,
  issue,
  loseMail,
  mail,
  refusal,
  second,
  tryWrong,
} from '../support/otp-moves.ts'
import { HOLDER, networkNumber, stranger } from '../support/senders.ts'

/** So many mails, every hour one, all asked for by one sender. */
function mailHourly(count: number, sender = stranger(1)): OtpRecord {
  let record = EMPTY_OTP_RECORD
  for (let hour = 0; hour < count; hour++) {
    record = mail(record, '000001', at(hour * HOUR_MS), { sender }).record
  }
  return record
}

describe('one network', () => {
  test('gets half of the mails of a day, until an exact moment, and others get the other half', () => {
    const full = mailHourly(10)
    const now = at(9 * HOUR_MS)
    const refused = refusal(() => issue(full, '000002', now, { sender: stranger(1) }))
    expect(refused).toEqual(new DomainError('too_many_mails', at(DAY_MS)))
    expect(issue(full, '000002', now, { sender: stranger(2) }).record.mails).toHaveLength(11)
    expect(issue(full, '000002', at(DAY_MS), { sender: stranger(1) }).otp).toBeDefined()
  })

  test('gets half of the wrong tries of a day, and others get the other half', () => {
    let record = EMPTY_OTP_RECORD
    for (let code = 0; code < 4; code++) {
      record = tryWrong(mail(record, '000001', NOON).record, 5, NOON, stranger(1))
    }
    const { record: waiting } = mail(record, '000002', at(HOUR_MS))
    for (const code of [first, second]) {
      const refused = refusal(() => attempt(waiting, code, at(HOUR_MS), stranger(1)))
      expect(refused).toEqual(new DomainError('too_many_wrong_codes', at(DAY_MS)))
    }
    expect(attempt(waiting, second, at(HOUR_MS), stranger(2)).outcome).toBe('right')
    expect(attempt(waiting, first, at(HOUR_MS), stranger(2)).outcome).toBe('wrong')
  })

  test('is not known of what was counted before networks were: it counts for the address alone', () => {
    const old = Array.from({ length: 19 }, () => ({ at: NOON, network: null, mailbox: null }))
    const record = { ...EMPTY_OTP_RECORD, mails: old }
    const { record: full } = mail(record, '000001', at(HOUR_MS), { sender: stranger(1) })
    expect(refusal(() => issue(full, '000002', at(2 * HOUR_MS)))).toHaveProperty(
      'retryAt',
      at(DAY_MS),
    )
  })
})

test('a holder of a token has all mails and tries of a record, and no network is noted', () => {
  const full = mailHourly(20, HOLDER)
  expect(full.mails.every(({ network, mailbox }) => network === null && mailbox === null)).toBe(
    true,
  )
  const refused = refusal(() => issue(full, '000002', at(20 * HOUR_MS), { sender: HOLDER }))
  expect(refused).toEqual(new DomainError('too_many_mails', at(DAY_MS)))

  let record = EMPTY_OTP_RECORD
  for (let code = 0; code < 8; code++) {
    record = tryWrong({ ...mail(record, '000001', NOON).record, mails: [] }, 5, NOON, HOLDER)
  }
  expect(record.wrongTries).toHaveLength(40)
  expect(refusal(() => attempt(record, first, NOON, HOLDER))).toBeInstanceOf(DomainError)
})

describe('a mailbox', () => {
  const digest = 'digest' as MailboxDigest
  const sent = (count: number, everyMs: number, network = (index: number) => index) =>
    Array.from({ length: count }, (_, index) => ({
      at: at(index * everyMs),
      network: networkNumber(network(index)),
    }))
  const retryAt = (mails: ReturnType<typeof sent>, now: Date, record = EMPTY_OTP_RECORD) =>
    refusal(() => issue(record, '000001', now, { sender: stranger(1), mailbox: { digest, mails } }))

  test('gets five mails in 15 minutes and 20 in 24 hours, over all its addresses', () => {
    const soon = retryAt(sent(5, 1), at(MINUTE_MS))
    expect(soon).toEqual(new DomainError('too_many_mails', at(15 * MINUTE_MS)))
    const full = sent(20, HOUR_MS)
    const later = retryAt(full, at(20 * HOUR_MS))
    expect(later).toEqual(new DomainError('too_many_mails', at(DAY_MS)))
    expect(retryAt(full, at(DAY_MS))).toMatchObject({ mail: { mailbox: digest } })
  })

  test('gets half of them for one network', () => {
    const full = sent(10, HOUR_MS, () => 1)
    expect(retryAt(full, at(10 * HOUR_MS))).toEqual(new DomainError('too_many_mails', at(DAY_MS)))
  })

  test('and its address are waited for until the later of their ends', () => {
    const now = at(9 * HOUR_MS + MINUTE_MS)
    const record = mailHourly(10)
    const mailbox = sent(5, 1).map((one) => ({ ...one, at: now }))
    expect(retryAt(mailbox, now, record)).toHaveProperty('retryAt', at(DAY_MS))
    expect(retryAt(mailbox, now)).toHaveProperty('retryAt', at(9 * HOUR_MS + 16 * MINUTE_MS))
  })
})

describe('what a clock that was ahead has made', () => {
  const AHEAD_MS = 5 * DAY_MS

  test('is no right code, and none that is mailed again', () => {
    const ahead = mail(EMPTY_OTP_RECORD, '000001', at(AHEAD_MS)).record
    expect(isRight(ahead, first, NOON)).toBe(false)
    const { record, otp } = mail(ahead, '000002', NOON)
    expect(otp.seed as string).toBe('000002')
    expect(isRight(record, second, NOON)).toBe(true)
    expect(isRight(ahead, first, at(AHEAD_MS - MINUTE_MS))).toBe(true)
    expect(isRight(ahead, first, at(AHEAD_MS - MINUTE_MS - 1))).toBe(false)
  })

  test('keeps no mail and no try from anybody, and is forgotten', () => {
    let ahead = EMPTY_OTP_RECORD
    for (let count = 0; count < 5; count++) ahead = mail(ahead, '000001', at(AHEAD_MS)).record
    ahead = tryWrong(ahead, 5, at(AHEAD_MS))
    const { record } = mail(ahead, '000002', NOON)
    expect(record.mails).toHaveLength(1)
    expect(record.wrongTries).toEqual([])

    const tried = Array.from({ length: 40 }, () => ({ at: at(AHEAD_MS), network: null }))
    expect(isRight({ ...record, wrongTries: tried }, second, NOON)).toBe(true)
  })
})

describe('a mail that could not be sent', () => {
  test('leaves nothing of an address of which nothing else is known', () => {
    expect(loseMail(EMPTY_OTP_RECORD, '000001', NOON, { mayArrive: false })).toEqual(
      EMPTY_OTP_RECORD,
    )
  })

  test('leaves an older code alone, and one of which another mail is under way', () => {
    const known = { ...fresh.record, mails: [] }
    expect(loseMail(known, '000002', at(2 * MINUTE_MS), { mayArrive: false })).toEqual(known)

    const one = issue(EMPTY_OTP_RECORD, '000001', NOON)
    const other = issue(one.record, '000002', at(1))
    const left = releaseMail(other.record, { mail: one.mail, otp: one.otp, mayArrive: false })
    expect(isRight(left, first, at(2))).toBe(true)
    const last = releaseMail(left, { mail: other.mail, otp: other.otp, mayArrive: false })
    expect(last).toEqual(EMPTY_OTP_RECORD)
  })

  test('leaves the code that it made where it may still arrive', () => {
    const record = loseMail(EMPTY_OTP_RECORD, '000001', NOON, { mayArrive: true })
    expect(record.mails).toEqual([])
    expect(isRight(record, first, NOON)).toBe(true)
  })
})
