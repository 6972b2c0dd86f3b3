import { describe, expect, test } from 'bun:test'
import { redeemOtp } from '../../../application/access/redeem-otp.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import { unlockEmail } from '../../../application/access/unlock-email.ts'
import { DAY_MS, HOUR_MS } from '../../../domain/duration.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { OtpCode } from '../../../domain/otp.ts'
import { fakePorts } from '../../support/fakes.ts'
import { ANNA, BERT } from '../../support/stores/contract-purchases.ts'

const WRONG = '999999' as OtpCode

/** Ports at which addresses are blocked: forty wrong codes each, five for each mail. */
async function openBlocked() {
  const ports = fakePorts()
  for (let mail = 0; mail < 8; mail++) {
    for (const email of [ANNA, BERT]) {
      await sendCode(ports, { email, language: 'en' })
      for (let attempt = 0; attempt < 5; attempt++) await refusal(ports, WRONG, email)
    }
    ports.clock.advance(HOUR_MS)
  }
  return ports
}

async function refusal(ports: ReturnType<typeof fakePorts>, code: OtpCode, email = ANNA) {
  try {
    await redeemOtp(ports, { email, code })
    return null
  } catch (error) {
    return error instanceof DomainError ? error.refusal : error
  }
}

describe('an address that has used up its wrong codes', () => {
  test('may try again at once, with the valid code, and no other address may', async () => {
    const ports = await openBlocked()
    const code = await sendCode(ports, { email: ANNA, language: 'en' })
    const other = await sendCode(ports, { email: BERT, language: 'en' })
    expect(await refusal(ports, code)).toBe('too_many_wrong_codes')

    expect(await unlockEmail(ports, ANNA)).toBe(40)
    expect(await refusal(ports, WRONG)).toBe('invalid_code')
    expect(await refusal(ports, code)).toBeNull()
    expect(await refusal(ports, other, BERT)).toBe('too_many_wrong_codes')
  })

  test('has forty more wrong codes from then on', async () => {
    const ports = await openBlocked()
    await unlockEmail(ports, ANNA)
    expect(await unlockEmail(ports, ANNA)).toBe(0)
    await sendCode(ports, { email: ANNA, language: 'en' })
    for (let attempt = 0; attempt < 5; attempt++) await refusal(ports, WRONG)
    expect(await unlockEmail(ports, ANNA)).toBe(5)
  })

  test('gets no more mails than before', async () => {
    const ports = fakePorts()
    const mail = () => sendCode(ports, { email: ANNA, language: 'en' })
    for (let count = 0; count < 5; count++) await mail()
    await refusal(ports, WRONG)
    expect(await unlockEmail(ports, ANNA)).toBe(1)
    await expect(mail()).rejects.toThrow('too_many_mails')
  })
})

test('wrong codes that count no more are not counted', async () => {
  const ports = await openBlocked()
  ports.clock.advance(DAY_MS)
  expect(await unlockEmail(ports, ANNA)).toBe(0)
})

test('nothing is stored about an unknown address', async () => {
  const ports = fakePorts()
  expect(await unlockEmail(ports, ANNA)).toBe(0)
  expect((await ports.personalData.find(ANNA)).codeMailsAt).toEqual([])
})
