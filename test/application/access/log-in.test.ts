import { describe, expect, test } from 'bun:test'
import { confirmEmail } from '../../../application/access/confirm-email.ts'
import { logIn } from '../../../application/access/log-in.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { parseOtpCode } from '../../../domain/otp.ts'
import { fakePorts, NOON, ORIGIN } from '../../support/fakes.ts'
import { STRANGER } from '../../support/senders.ts'

const email = parseEmail('ada@example.com')
const mailed = { email, language: 'en', sender: STRANGER } as const

async function withPremium() {
  const ports = fakePorts()
  await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
  return ports
}

describe('logIn', () => {
  test('trades a code for a token of the address, also a code from sendCode', async () => {
    const ports = await withPremium()
    const token = await logIn(ports, {
      email,
      code: await sendCode(ports, mailed),
      sender: STRANGER,
    })
    expect(await ports.tokens.verify(token)).toMatchObject({ email, issuedAt: NOON })
  })

  test('keeps the code valid when the database fails before it is spent', async () => {
    const ports = await withPremium()
    const code = await sendCode(ports, mailed)
    const outage = new Unavailable('storage', { cause: new Error('locked') })
    const failing = { ...ports, access: { findByEmail: () => Promise.reject(outage) } }
    await expect(logIn(failing, { email, code, sender: STRANGER })).rejects.toBe(outage)
    expect(await logIn(ports, { email, code, sender: STRANGER })).toContain(email)
  })

  test('takes a code once, be it to log in or to confirm', async () => {
    const ports = await withPremium()
    const code = await sendCode(ports, mailed)
    await logIn(ports, { email, code, sender: STRANGER })
    const refused = new DomainError('invalid_code')
    await expect(logIn(ports, { email, code, sender: STRANGER })).rejects.toEqual(refused)
    await expect(confirmEmail(ports, { email, code, sender: STRANGER })).rejects.toEqual(refused)
  })

  test('refuses an address without premium, and the code is used up all the same', async () => {
    const ports = fakePorts()
    const code = await sendCode(ports, mailed)
    await expect(logIn(ports, { email, code, sender: STRANGER })).rejects.toEqual(
      new DomainError('premium_required_to_log_in'),
    )
    await expect(logIn(ports, { email, code, sender: STRANGER })).rejects.toEqual(
      new DomainError('invalid_code'),
    )
  })

  test('judges the code before premium', async () => {
    const ports = fakePorts()
    await sendCode(ports, mailed)
    await expect(
      logIn(ports, { email, code: parseOtpCode('999999'), sender: STRANGER }),
    ).rejects.toEqual(new DomainError('invalid_code'))
  })

  test('does not verify the address: buying takes confirmEmail', async () => {
    const ports = await withPremium()
    await logIn(ports, { email, code: await sendCode(ports, mailed), sender: STRANGER })
    expect(await ports.verifications.findByEmail(email)).toBeNull()
  })
})
