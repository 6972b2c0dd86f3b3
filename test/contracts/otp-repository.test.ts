import { describe, expect, test } from 'bun:test'
import type { OtpRepository } from '../../application/otp-repository.ts'
import type { Counted } from '../../domain/budget.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import type { MailboxDigest } from '../../domain/mailbox.ts'
import {
  type CountedMail,
  EMPTY_OTP_RECORD,
  type Otp,
  type OtpRecord,
  type OtpSeed,
} from '../../domain/otp.ts'
import type { SenderKind } from '../../domain/sender.ts'
import { newVerification } from '../../domain/verification.ts'
import { NOON } from '../support/fakes.ts'
import { CHALLENGE } from '../support/proof-key.ts'
import { networkNumber } from '../support/senders.ts'
import { STORES } from '../support/stores/stores.ts'

const ANNA = 'anna@example.com' as Email
const BERT = 'bert@example.com' as Email
const MAILBOX = 'digest' as MailboxDigest
const HOLDERS_MAIL: CountedMail = { at: NOON, network: null, mailbox: null }

describe.each(STORES)('OtpRepository on %s', (_, open) => {
  test('gives the empty record of an unknown address', async () => {
    const { otps } = await open()

    expect(await read(otps, ANNA)).toEqual(EMPTY_OTP_RECORD)
  })

  test('keeps every field of a record', async () => {
    const { otps } = await open()
    const record: OtpRecord = {
      current: otp('one', 3),
      replacement: otp('two', 5),
      mails: [mail(-20), { ...mail(0), mailbox: null }],
      wrongTries: [wrongTry(-3), { ...wrongTry(-2), network: null }, wrongTry(-1)],
    }
    await save(otps, ANNA, record)

    expect(await read(otps, ANNA)).toEqual(record)
  })

  test('keeps moments that are equal, and those that a clock set back put out of order', async () => {
    const { otps } = await open()
    const moments = [0, 0, -60, 0]
    const [sent, tried] = [moments.map((at) => mail(at)), moments.map(wrongTry)]
    await save(otps, ANNA, { ...EMPTY_OTP_RECORD, mails: sent, wrongTries: tried })

    const { mails, wrongTries } = await read(otps, ANNA)
    expect(mails).toEqual(sent)
    expect(wrongTries).toEqual(tried)
  })

  test('keeps nothing of the record that was there before', async () => {
    const { otps } = await open()
    await save(otps, ANNA, {
      current: otp('one', 1),
      replacement: otp('two', 5),
      mails: [mail(0), mail(1)],
      wrongTries: [wrongTry(2), wrongTry(3)],
    })
    const later: OtpRecord = {
      current: null,
      replacement: otp('three', 4),
      mails: [mail(1)],
      wrongTries: [],
    }
    await save(otps, ANNA, later)
    expect(await read(otps, ANNA)).toEqual(later)

    await save(otps, ANNA, EMPTY_OTP_RECORD)
    expect(await read(otps, ANNA)).toEqual(EMPTY_OTP_RECORD)
  })

  test('keeps the records of two addresses apart', async () => {
    const { otps } = await open()
    const annas: OtpRecord = {
      ...EMPTY_OTP_RECORD,
      current: otp('one', 5),
      mails: [mail(0)],
      wrongTries: [wrongTry(1)],
    }
    await save(otps, ANNA, annas)
    await save(otps, BERT, { ...annas, current: otp('two', 2) })
    await save(otps, BERT, EMPTY_OTP_RECORD)

    expect(await read(otps, ANNA)).toEqual(annas)
  })

  test('keeps the records of strangers and of holders of a token apart', async () => {
    const { otps } = await open()
    const strangers = { ...EMPTY_OTP_RECORD, current: otp('one', 5), mails: [mail(0)] }
    const holders = { ...EMPTY_OTP_RECORD, current: otp('two', 4), mails: [HOLDERS_MAIL] }
    await save(otps, ANNA, strangers)
    await save(otps, ANNA, holders, 'holder')
    expect(await read(otps, ANNA)).toEqual(strangers)
    expect(await read(otps, ANNA, 'holder')).toEqual(holders)

    await save(otps, ANNA, EMPTY_OTP_RECORD)
    expect(await read(otps, ANNA, 'holder')).toEqual(holders)
  })

  test('hands on all that the change returns', async () => {
    const { otps } = await open()

    const result = await otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({
      record,
      accepted: true,
    }))
    expect(result).toEqual({ record: EMPTY_OTP_RECORD, accepted: true })
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { otps } = await open()
    const record = { ...EMPTY_OTP_RECORD, current: otp('one', 5) }
    await save(otps, ANNA, record)

    const refusal = new Error('refused')
    const refused = otps.update({ email: ANNA, sender: 'stranger' }, () => {
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await read(otps, ANNA)).toEqual(record)
  })

  test('stores with its record the verification that a code has proved, and none without one', async () => {
    const { otps, verifications } = await open()
    const record = { ...EMPTY_OTP_RECORD, current: otp('one', 5) }
    const verification = newVerification(ANNA, {
      codeChallenge: CHALLENGE,
      lifetimeMs: 1000,
      now: NOON,
    })
    await otps.update({ email: ANNA, sender: 'stranger' }, () => ({ record, verification }))
    expect(await read(otps, ANNA)).toEqual(record)
    expect(await verifications.findByEmail(ANNA)).toEqual(verification)

    await otps.update({ email: ANNA, sender: 'stranger' }, () => ({
      record: EMPTY_OTP_RECORD,
      verification: null,
    }))
    expect(await verifications.findByEmail(ANNA)).toEqual(verification)
  })

  test('loses none of 200 parallel updates', async () => {
    const { otps } = await open()

    await Promise.all(
      Array.from({ length: 200 }, (_unused, count) =>
        otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({
          record: { ...record, wrongTries: [...record.wrongTries, wrongTry(count)] },
        })),
      ),
    )
    expect((await read(otps, ANNA)).wrongTries).toHaveLength(200)
  })
})

async function save(
  otps: OtpRepository,
  email: Email,
  record: OtpRecord,
  sender: SenderKind = 'stranger',
): Promise<void> {
  await otps.update({ email, sender }, () => ({ record }))
}

async function read(
  otps: OtpRepository,
  email: Email,
  sender: SenderKind = 'stranger',
): Promise<OtpRecord> {
  const { record } = await otps.update({ email, sender }, (stored) => ({ record: stored }))
  return record
}

function otp(seed: string, attemptsLeft: number): Otp {
  return {
    seed: seed as OtpSeed,
    issuedAt: minutes(0),
    expiresAt: minutes(10),
    attemptsLeft,
  }
}

function mail(at: number, mailbox = MAILBOX): CountedMail {
  return { ...wrongTry(at), mailbox }
}

function wrongTry(at: number): Counted {
  return { at: minutes(at), network: networkNumber(1) }
}

function minutes(count: number): Date {
  return new Date(NOON.getTime() + count * MINUTE_MS)
}
