import { describe, expect, test } from 'bun:test'
import { confirmEmail } from '../../../application/access/confirm-email.ts'
import { requestOtp } from '../../../application/access/request-otp.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import { settlePayment } from '../../../application/payments/settle-payment.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { FIRST_EPOCH } from '../../../domain/log-out.ts'
import { parseOtpCode } from '../../../domain/otp.ts'
import type { SessionOutcome } from '../../../domain/session-report.ts'
import { openBuyer } from '../../support/buyers.ts'
import { fakePorts, NOON, ORIGIN } from '../../support/fakes.ts'
import { CHALLENGE, OTHER_CHALLENGE } from '../../support/proof-key.ts'
import { STRANGER } from '../../support/senders.ts'

const email = parseEmail('ada@example.com')
const mailed = { email, language: 'en', sender: STRANGER } as const

describe('confirmEmail', () => {
  test('verifies the address for the specified time', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, mailed)
    ports.clock.advance(MINUTE_MS)
    expect(await confirmEmail(ports, { email, code, sender: STRANGER })).toEqual({
      token: null,
      isPaymentUnderWay: false,
    })
    expect(await ports.verifications.findByEmail(email)).toEqual({
      email,
      verifiedAt: new Date(NOON.getTime() + MINUTE_MS),
      expiresAt: new Date(NOON.getTime() + 31 * MINUTE_MS),
      codeChallenge: null,
      epoch: FIRST_EPOCH,
    })
  })

  test('verifies no other address', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, mailed)
    await confirmEmail(ports, { email, code, sender: STRANGER })
    expect(await ports.verifications.findByEmail(parseEmail('bob@example.com'))).toBeNull()
  })

  test('does not verify an address by a wrong code', async () => {
    const ports = fakePorts()
    await sendCode(ports, mailed)
    const code = parseOtpCode('999999')
    await expect(confirmEmail(ports, { email, code, sender: STRANGER })).rejects.toEqual(
      new DomainError('invalid_code'),
    )
    expect(await ports.verifications.findByEmail(email)).toBeNull()
  })

  test('starts the time again with every right code', async () => {
    const ports = fakePorts()
    await confirmEmail(ports, { email, code: await sendCode(ports, mailed), sender: STRANGER })
    ports.clock.advance(20 * MINUTE_MS)
    await confirmEmail(ports, { email, code: await sendCode(ports, mailed), sender: STRANGER })
    const verification = await ports.verifications.findByEmail(email)
    expect(verification?.expiresAt).toEqual(new Date(NOON.getTime() + 50 * MINUTE_MS))
  })

  test('remembers the challenge of the latest right code, or that it came without one', async () => {
    const ports = fakePorts()
    for (const codeChallenge of [CHALLENGE, OTHER_CHALLENGE, null]) {
      const code = await sendCode(ports, mailed)
      await confirmEmail(ports, { email, code, codeChallenge, sender: STRANGER })
      expect(await ports.verifications.findByEmail(email)).toMatchObject({ codeChallenge })
    }
  })

  test('leaves an earlier verification and its challenge alone when a code is wrong', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, mailed)
    await confirmEmail(ports, { email, code, codeChallenge: CHALLENGE, sender: STRANGER })
    const before = await ports.verifications.findByEmail(email)
    expect(before).toMatchObject({ codeChallenge: CHALLENGE })

    const guess = parseOtpCode('999999')
    const wrong = {
      email,
      code: guess,
      sender: STRANGER,
      codeChallenge: OTHER_CHALLENGE,
    }
    // Both while no code lives and while one does.
    await confirmEmail(ports, wrong).catch(() => {})
    await sendCode(ports, mailed)
    await confirmEmail(ports, wrong).catch(() => {})
    expect(await ports.verifications.findByEmail(email)).toEqual(before)
  })

  test('keeps the code valid when the database fails before it is spent', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, mailed)
    const outage = new Unavailable('storage', { cause: new Error('locked') })
    const failing = {
      ...ports,
      access: { findByEmail: () => Promise.reject(outage) },
    }
    await expect(confirmEmail(failing, { email, code, sender: STRANGER })).rejects.toBe(outage)
    expect(await ports.verifications.findByEmail(email)).toBeNull()

    await confirmEmail(ports, { email, code, sender: STRANGER })
    expect(await ports.verifications.findByEmail(email)).not.toBeNull()
  })

  test('gives a token to an address that has premium already', async () => {
    const ports = fakePorts()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    const { token } = await confirmEmail(ports, {
      email,
      code: await sendCode(ports, mailed),
      sender: STRANGER,
    })
    expect(await ports.tokens.verify(token!)).toMatchObject({ email, issuedAt: NOON })
  })

  test('takes a code whichever way it was asked for', async () => {
    const ports = fakePorts()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    const code = await requestOtp(ports, mailed)
    const { token } = await confirmEmail(ports, { email, code, sender: STRANGER })
    expect(token).not.toBeNull()
  })

  test.each<[SessionOutcome, boolean]>([
    ['open', false],
    ['processing', true],
    ['failed', false],
  ])(
    'says of a payment that is %s whether it is under way: %p',
    async (outcome, isPaymentUnderWay) => {
      const { ports, move, notification } = await openBuyer({ email })
      move(outcome)
      await settlePayment(ports, notification(), 'webhook')
      const code = await sendCode(ports, mailed)
      expect(await confirmEmail(ports, { email, code, sender: STRANGER })).toEqual({
        token: null,
        isPaymentUnderWay,
      })
    },
  )

  test('keeps the code valid when the payments cannot be read', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, mailed)
    const outage = new Unavailable('storage', { cause: new Error('locked') })
    const purchases = { ...ports.purchases, findAccount: () => Promise.reject(outage) }
    const failing = { ...ports, purchases }
    await expect(confirmEmail(failing, { email, code, sender: STRANGER })).rejects.toBe(outage)
    expect(await confirmEmail(ports, { email, code, sender: STRANGER })).toMatchObject({
      token: null,
    })
  })
})
