import { describe, expect, test } from 'bun:test'
import { redeemOtp } from '../../../application/access/redeem-otp.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import type { TelemetryEvent } from '../../../application/telemetry.ts'
import { DAY_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { parseOtpCode } from '../../../domain/otp.ts'
import { fakePorts, NOON } from '../../support/fakes.ts'
import { HOLDER, STRANGER, stranger } from '../../support/senders.ts'

const email = parseEmail('ada@example.com')
const wrong = parseOtpCode('999999')

async function open() {
  const ports = fakePorts()
  const mail = (sender = STRANGER) => sendCode(ports, { email, language: 'en', sender })
  const refusalOf = (code: typeof wrong, address = email, sender = STRANGER) =>
    redeemOtp(ports, { email: address, code, sender }).then(
      () => null,
      (error: unknown) => error,
    )
  return { ports, mail, refusalOf, code: await mail() }
}

describe('redeemOtp', () => {
  test('tells telemetry what each try came to, and nothing else about it', async () => {
    const { ports, code, mail, refusalOf } = await open()
    for (let tries = 0; tries < 6; tries++) await refusalOf(wrong)
    await refusalOf(await mail())
    await refusalOf(code)

    const outcomes = [
      'wrong',
      'wrong',
      'wrong',
      'wrong',
      'last_wrong',
      'no_code',
      'right',
      'no_code',
    ]
    expect(ports.telemetry.events).toEqual(
      outcomes.map((outcome) => ({ kind: 'code_tried', outcome }) as TelemetryEvent),
    )
  })

  test('takes a code once', async () => {
    const { code, refusalOf } = await open()
    expect(await refusalOf(code)).toBeNull()
    expect(await refusalOf(code)).toEqual(new DomainError('invalid_code'))
  })

  test('takes a code once, however many bring it at the same time', async () => {
    const { code, refusalOf } = await open()
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => refusalOf(code)))
    expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(1)
  })

  test('counts exactly five wrong tries, however many come at the same time', async () => {
    const { ports, code, refusalOf } = await open()
    await Promise.all(Array.from({ length: 200 }, () => refusalOf(wrong)))
    expect(await refusalOf(code)).toEqual(new DomainError('invalid_code'))
    await ports.otps.update({ email, sender: 'stranger' }, (record) => {
      expect(record.wrongTries).toHaveLength(5)
      return { record }
    })
  })

  test('takes a code for the address it was mailed to, and no other', async () => {
    const { code, refusalOf } = await open()
    expect(await refusalOf(code, parseEmail('bob@example.com'))).toBeInstanceOf(DomainError)
    expect(await refusalOf(code)).toBeNull()
  })

  test('refuses an expired code as it refuses a wrong one', async () => {
    const { ports, code, refusalOf } = await open()
    const refused = await refusalOf(wrong)
    ports.clock.advance(10 * MINUTE_MS)
    expect(await refusalOf(code)).toEqual(refused)
  })

  test('refuses every code after 40 wrong tries, until the first of them is a day old', async () => {
    const { ports, mail, refusalOf } = await open()
    for (let round = 0; round < 8; round++) {
      const sender = stranger(round)
      await mail(sender)
      for (let count = 0; count < 5; count++) await refusalOf(wrong, email, sender)
      ports.clock.advance(15 * MINUTE_MS)
    }
    const code = await mail()
    expect(await refusalOf(code)).toEqual(
      new DomainError('too_many_wrong_codes', new Date(NOON.getTime() + DAY_MS)),
    )

    ports.clock.advance(DAY_MS - 8 * 15 * MINUTE_MS - 1)
    const last = await mail()
    expect(await refusalOf(last)).toBeInstanceOf(DomainError)
    ports.clock.advance(1)
    expect(await refusalOf(last)).toBeNull()
  })

  test('refuses a network every code after 20 wrong tries of its own, and lets others try', async () => {
    const { ports, mail, refusalOf } = await open()
    for (let round = 0; round < 4; round++) {
      await mail()
      for (let count = 0; count < 5; count++) await refusalOf(wrong)
      ports.clock.advance(15 * MINUTE_MS)
    }
    const code = await mail()
    expect(await refusalOf(code)).toEqual(
      new DomainError('too_many_wrong_codes', new Date(NOON.getTime() + DAY_MS)),
    )
    expect(await refusalOf(code, email, stranger(2))).toBeNull()
  })

  test('compares a holder’s codes with those that holders were sent, and a stranger’s with theirs', async () => {
    const { mail, refusalOf, code } = await open()
    const holders = await mail(HOLDER)
    expect(holders).not.toBe(code)
    expect(await refusalOf(holders)).toEqual(new DomainError('invalid_code'))
    expect(await refusalOf(code, email, HOLDER)).toEqual(new DomainError('invalid_code'))
    for (let count = 0; count < 5; count++) await refusalOf(wrong)
    expect(await refusalOf(code)).toEqual(new DomainError('invalid_code'))
    expect(await refusalOf(holders, email, HOLDER)).toBeNull()
  })

  test('keeps no code in what it stores, only what a code is derived from', async () => {
    const { ports } = await open()
    const derive = ports.secrets.deriveOtpCode
    ports.secrets.deriveOtpCode = (address, seed) =>
      parseOtpCode(String(Number(derive(address, seed)) + 500_000))
    expect(
      await redeemOtp(ports, { email, code: parseOtpCode('500001'), sender: STRANGER }),
    ).toBeUndefined()
  })
})
