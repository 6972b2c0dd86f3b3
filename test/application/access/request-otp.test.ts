import { describe, expect, test } from 'bun:test'
import { redeemOtp } from '../../../application/access/redeem-otp.ts'
import { requestOtp } from '../../../application/access/request-otp.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { fakePorts, NOON, ORIGIN } from '../../support/fakes.ts'
import { STRANGER } from '../../support/senders.ts'

const email = parseEmail('ada@example.com')
const request = { email, language: 'de', sender: STRANGER } as const

describe('requestOtp', () => {
  test('mails a working code to an address that has premium', async () => {
    const ports = fakePorts()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    const code = await requestOtp(ports, request)
    expect(ports.mailer.mails).toEqual([
      { to: email, code, language: 'de', validForMs: 600_000, isCustomer: true },
    ])
    await redeemOtp(ports, { email, code, sender: STRANGER })
  })

  test('refuses an address without premium, and mails nothing', async () => {
    const ports = fakePorts()
    await expect(requestOtp(ports, request)).rejects.toEqual(new DomainError('premium_required'))
    expect(ports.mailer.mails).toEqual([])
  })

  test('refuses an address whose premium was revoked', async () => {
    const ports = fakePorts()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    await ports.premiumGrants.revokeAll(email, ORIGIN)
    await expect(requestOtp(ports, request)).rejects.toEqual(new DomainError('premium_required'))
    expect(ports.mailer.mails).toEqual([])
  })

  test('does not count what it refused for want of premium', async () => {
    const ports = fakePorts()
    for (let count = 0; count < 10; count++) await requestOtp(ports, request).catch(() => {})
    await sendCode(ports, request)
    expect(ports.mailer.mails).toHaveLength(1)
  })

  test('shares its five mails and its code with sendCode', async () => {
    const ports = fakePorts()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    const code = await requestOtp(ports, request)
    expect(await sendCode(ports, request)).toBe(code)
    for (let count = 0; count < 3; count++) await requestOtp(ports, request)
    const refused = new DomainError('too_many_mails', new Date(NOON.getTime() + 15 * MINUTE_MS))
    await expect(sendCode(ports, request)).rejects.toEqual(refused)
    await expect(requestOtp(ports, request)).rejects.toEqual(refused)
  })
})
