import { describe, expect, test } from 'bun:test'
import { redeemOtp } from '../../../application/access/redeem-otp.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import type { OtpMail } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { fakePorts, NOON, ORIGIN } from '../../support/fakes.ts'
import { STRANGER } from '../../support/senders.ts'

const email = parseEmail('ada@example.com')
const request = { email, language: 'sv', sender: STRANGER } as const

async function refusalOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  )
}

describe('sendCode', () => {
  test('mails the code it returns, in the language asked for, and says how long it lives', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, request)
    expect(ports.mailer.mails).toEqual([
      { to: email, code, language: 'sv', validForMs: 10 * MINUTE_MS, isCustomer: false },
    ])
    await redeemOtp(ports, { email, code, sender: STRANGER })
  })

  test('mails the same code again while it is young, and says what is left of its life', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, request)
    ports.clock.advance(4 * MINUTE_MS)
    expect(await sendCode(ports, { email, language: 'fr', sender: STRANGER })).toBe(code)
    expect(ports.mailer.mails[1]).toEqual({
      to: email,
      code,
      language: 'fr',
      validForMs: 6 * MINUTE_MS,
      isCustomer: false,
    })
  })

  test('tells the mailer who is a customer, also one whose premium was revoked', async () => {
    const ports = fakePorts()
    await ports.premiumGrants.add({ id: 'grant', email }, ORIGIN)
    await sendCode(ports, request)
    await ports.premiumGrants.revokeAll(email, ORIGIN)
    await sendCode(ports, request)
    await sendCode(ports, { ...request, email: parseEmail('eve@example.com') })
    expect(ports.mailer.mails.map(({ isCustomer }) => isCustomer)).toEqual([true, true, false])
  })

  test('mails a new code once the old one has less than half its life left', async () => {
    const ports = fakePorts()
    const old = await sendCode(ports, request)
    ports.clock.advance(5 * MINUTE_MS + 1)
    const code = await sendCode(ports, request)
    expect(code).not.toBe(old)
    expect(ports.mailer.mails[1]?.validForMs).toBe(10 * MINUTE_MS)
    expect(
      await refusalOf(redeemOtp(ports, { email, code: old, sender: STRANGER })),
    ).toBeInstanceOf(DomainError)
    await redeemOtp(ports, { email, code, sender: STRANGER })
  })

  test('lets a code live as long as the operator has decided', async () => {
    const rules = { ...fakePorts().rules, otpLifetimeMs: 45_000 }
    const ports = fakePorts({ rules })
    const code = await sendCode(ports, request)
    expect(ports.mailer.mails[0]?.validForMs).toBe(45_000)
    ports.clock.advance(45_000)
    expect(await refusalOf(redeemOtp(ports, { email, code, sender: STRANGER }))).toEqual(
      new DomainError('invalid_code'),
    )
  })

  test('sends five mails in 15 minutes, then none until an exact moment, and the last code still works', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, request)
    for (let count = 0; count < 4; count++) {
      ports.clock.advance(MINUTE_MS)
      await sendCode(ports, request)
    }
    expect(await refusalOf(sendCode(ports, request))).toEqual(
      new DomainError('too_many_mails', new Date(NOON.getTime() + 15 * MINUTE_MS)),
    )
    expect(ports.mailer.mails).toHaveLength(5)
    await redeemOtp(ports, { email, code, sender: STRANGER })

    ports.clock.advance(11 * MINUTE_MS)
    await sendCode(ports, request)
  })

  test('sends no more than five mails when many are asked for at once', async () => {
    const ports = fakePorts()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () => sendCode(ports, request)),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(new Set(ports.mailer.mails.map(({ code }) => code)).size).toBe(1)
    expect(ports.mailer.mails).toHaveLength(5)
  })

  test('counts per address', async () => {
    const ports = fakePorts()
    for (let count = 0; count < 5; count++) await sendCode(ports, request)
    await sendCode(ports, {
      email: parseEmail('bob@example.com'),
      language: 'en',
      sender: STRANGER,
    })
    expect(ports.mailer.mails).toHaveLength(6)
  })

  test('does not count mails that could not be sent', async () => {
    const ports = fakePorts()
    ports.mailer.outage = true
    for (let count = 0; count < 30; count++) {
      expect(await refusalOf(sendCode(ports, request))).toBeInstanceOf(Unavailable)
    }
    ports.mailer.outage = false
    for (let count = 0; count < 5; count++) await sendCode(ports, request)
    expect(ports.mailer.mails).toHaveLength(5)
  })

  test('leaves the code that lived before alive when its replacement could not be sent', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, request)
    ports.clock.advance(6 * MINUTE_MS)
    ports.mailer.outage = true
    expect(await refusalOf(sendCode(ports, request))).toEqual(
      new Unavailable('email', { cause: new Error('out of order') }),
    )
    await redeemOtp(ports, { email, code, sender: STRANGER })
  })

  test('leaves the code that lived before alive while its replacement is on its way', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, request)
    ports.clock.advance(6 * MINUTE_MS)

    const mailer = {
      ...ports.mailer,
      async sendOtp(mail: OtpMail) {
        expect(mail.code).not.toBe(code)
        expect(
          await refusalOf(redeemOtp(ports, { email, code: mail.code, sender: STRANGER })),
        ).toBeInstanceOf(DomainError)
        await redeemOtp(ports, { email, code, sender: STRANGER })
      },
    }
    await sendCode({ ...ports, mailer }, request)
    expect.assertions(2)
  })

  test('keeps a customer’s code that may still arrive, and no stranger’s', async () => {
    const ports = fakePorts()
    const broken = new Unavailable('email', { cause: new Error('timed out') })
    const mailer = { ...ports.mailer, sendOtp: () => Promise.reject(broken) }
    const codesAfter = async () => {
      expect(await refusalOf(sendCode({ ...ports, mailer }, request))).toBe(broken)
      return (await ports.personalData.find(email)).codes.length
    }
    expect(await codesAfter()).toBe(0)
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    expect(await codesAfter()).toBe(1)
  })

  test('gives the mail back also when the mailer fails in an unexpected way', async () => {
    const ports = fakePorts()
    const mailer = { ...ports.mailer, sendOtp: () => Promise.reject(new TypeError('a bug')) }
    for (let count = 0; count < 6; count++) {
      expect(await refusalOf(sendCode({ ...ports, mailer }, request))).toEqual(
        new TypeError('a bug'),
      )
    }
    await sendCode(ports, request)
  })
})
