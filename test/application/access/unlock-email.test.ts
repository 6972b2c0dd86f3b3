import { describe, expect, test } from 'bun:test'
import { redeemOtp } from '../../../application/access/redeem-otp.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import { unlockEmail } from '../../../application/access/unlock-email.ts'
import { DAY_MS, HOUR_MS } from '../../../domain/duration.ts'
import { type Email, parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { OtpCode } from '../../../domain/otp.ts'
import type { Sender } from '../../../domain/sender.ts'
import { fakePorts } from '../../support/fakes.ts'
import { HOLDER, STRANGER, stranger } from '../../support/senders.ts'
import { ANNA, BERT } from '../../support/stores/contract-purchases.ts'

const WRONG = '999999' as OtpCode

/** Ports at which addresses are blocked: forty wrong codes each, five for each mail, of two networks. */
async function openBlocked() {
  const ports = fakePorts()
  for (let round = 0; round < 8; round++) {
    const sender = stranger(round % 2)
    for (const email of [ANNA, BERT]) {
      await mail(ports, email, sender)
      for (let attempt = 0; attempt < 5; attempt++) await refusal(ports, WRONG, { email, sender })
    }
    ports.clock.advance(HOUR_MS)
  }
  return ports
}

function mail(ports: ReturnType<typeof fakePorts>, email: Email = ANNA, sender = STRANGER) {
  return sendCode(ports, { email, language: 'en', sender })
}

async function refusal(
  ports: ReturnType<typeof fakePorts>,
  code: OtpCode,
  { email = ANNA, sender = STRANGER }: { email?: Email; sender?: Sender } = {},
) {
  try {
    await redeemOtp(ports, { email, code, sender })
    return null
  } catch (error) {
    return error instanceof DomainError ? error.refusal : error
  }
}

describe('an address that has used up its wrong codes', () => {
  test('may try again at once, with the valid code, and no other address may', async () => {
    const ports = await openBlocked()
    const code = await mail(ports)
    const other = await mail(ports, BERT)
    expect(await refusal(ports, code)).toBe('too_many_wrong_codes')

    expect(await unlockEmail(ports, ANNA)).toEqual({ mails: 9, wrongTries: 40 })
    expect(await refusal(ports, WRONG)).toBe('invalid_code')
    expect(await refusal(ports, code)).toBeNull()
    expect(await refusal(ports, other, { email: BERT })).toBe('too_many_wrong_codes')
  })

  test('has forty more wrong codes from then on', async () => {
    const ports = await openBlocked()
    await unlockEmail(ports, ANNA)
    expect(await unlockEmail(ports, ANNA)).toEqual({ mails: 0, wrongTries: 0 })
    await mail(ports)
    for (let attempt = 0; attempt < 5; attempt++) await refusal(ports, WRONG)
    expect(await unlockEmail(ports, ANNA)).toEqual({ mails: 1, wrongTries: 5 })
  })
})

describe('an address that has used up its mails', () => {
  test('gets mails again at once, and its code stays valid', async () => {
    const ports = fakePorts()
    let code = WRONG
    for (let count = 0; count < 5; count++) code = await mail(ports)
    await refusal(ports, WRONG)
    await expect(mail(ports)).rejects.toThrow('too_many_mails')

    expect(await unlockEmail(ports, ANNA)).toEqual({ mails: 5, wrongTries: 1 })
    expect(await mail(ports)).toBe(code)
    expect(await refusal(ports, code)).toBeNull()
  })

  test('gets those of holders of a token back, too', async () => {
    const ports = fakePorts()
    for (let count = 0; count < 5; count++) await mail(ports, ANNA, HOLDER)
    await refusal(ports, WRONG, { sender: HOLDER })
    await expect(mail(ports, ANNA, HOLDER)).rejects.toThrow('too_many_mails')
    expect(await unlockEmail(ports, ANNA)).toEqual({ mails: 5, wrongTries: 1 })
    await mail(ports, ANNA, HOLDER)
  })

  test('by mails to other spellings of its mailbox gets mails again, and the others do not', async () => {
    const ports = fakePorts()
    const tagged = parseEmail('anna+shop@example.com')
    for (let count = 0; count < 5; count++) await mail(ports, tagged)
    await expect(mail(ports)).rejects.toThrow('too_many_mails')

    expect(await unlockEmail(ports, ANNA)).toEqual({ mails: 5, wrongTries: 0 })
    await mail(ports)
    await expect(mail(ports, tagged)).rejects.toThrow('too_many_mails')
  })
})

test('wrong codes and mails that count no more are not counted', async () => {
  const ports = await openBlocked()
  ports.clock.advance(DAY_MS)
  expect(await unlockEmail(ports, ANNA)).toEqual({ mails: 0, wrongTries: 0 })
})

test('nothing is stored about an unknown address', async () => {
  const ports = fakePorts()
  expect(await unlockEmail(ports, ANNA)).toEqual({ mails: 0, wrongTries: 0 })
  expect((await ports.personalData.find(ANNA)).codeMails).toEqual([])
})

test('what the whole service has mailed stays counted', async () => {
  const { rules } = fakePorts()
  const mailLimit = { limit: 3, windowMs: HOUR_MS }
  const ports = fakePorts({ rules: { ...rules, mailLimit } })
  for (let count = 0; count < 2; count++) await mail(ports)
  await unlockEmail(ports, ANNA)
  await expect(mail(ports, BERT)).rejects.toThrow('mail_limit_reached')
})
