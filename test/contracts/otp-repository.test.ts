import { describe, expect, test } from 'bun:test'
import type { OtpRepository } from '../../application/store.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import { EMPTY_OTP_RECORD, type Otp, type OtpRecord, type OtpSeed } from '../../domain/otp.ts'
import { newVerification } from '../../domain/verification.ts'
import { NOON } from '../support/fakes.ts'
import { CHALLENGE } from '../support/proof-key.ts'
import { STORES } from '../support/stores/stores.ts'

const ANNA = 'anna@example.com' as Email
const BERT = 'bert@example.com' as Email

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
      mailedAt: [minutes(-20), minutes(0)],
      wrongTriesAt: [minutes(-3), minutes(-2), minutes(-1)],
    }
    await save(otps, ANNA, record)

    expect(await read(otps, ANNA)).toEqual(record)
  })

  test('keeps moments that are equal, and those that a clock set back put out of order', async () => {
    const { otps } = await open()
    const moments = [minutes(0), minutes(0), minutes(-60), minutes(0)]
    await save(otps, ANNA, { ...EMPTY_OTP_RECORD, mailedAt: moments, wrongTriesAt: moments })

    const { mailedAt, wrongTriesAt } = await read(otps, ANNA)
    expect(mailedAt).toEqual(moments)
    expect(wrongTriesAt).toEqual(moments)
  })

  test('keeps nothing of the record that was there before', async () => {
    const { otps } = await open()
    await save(otps, ANNA, {
      current: otp('one', 1),
      replacement: otp('two', 5),
      mailedAt: [minutes(0), minutes(1)],
      wrongTriesAt: [minutes(2), minutes(3)],
    })
    const later: OtpRecord = {
      current: null,
      replacement: otp('three', 4),
      mailedAt: [minutes(1)],
      wrongTriesAt: [],
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
      mailedAt: [minutes(0)],
      wrongTriesAt: [minutes(1)],
    }
    await save(otps, ANNA, annas)
    await save(otps, BERT, { ...annas, current: otp('two', 2) })
    await save(otps, BERT, EMPTY_OTP_RECORD)

    expect(await read(otps, ANNA)).toEqual(annas)
  })

  test('hands on all that the change returns', async () => {
    const { otps } = await open()

    const result = await otps.update(ANNA, (record) => ({ record, accepted: true }))
    expect(result).toEqual({ record: EMPTY_OTP_RECORD, accepted: true })
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { otps } = await open()
    const record = { ...EMPTY_OTP_RECORD, current: otp('one', 5) }
    await save(otps, ANNA, record)

    const refusal = new Error('refused')
    const refused = otps.update(ANNA, () => {
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
    await otps.update(ANNA, () => ({ record, verification }))
    expect(await read(otps, ANNA)).toEqual(record)
    expect(await verifications.findByEmail(ANNA)).toEqual(verification)

    await otps.update(ANNA, () => ({ record: EMPTY_OTP_RECORD, verification: null }))
    expect(await verifications.findByEmail(ANNA)).toEqual(verification)
  })

  test('loses none of 200 parallel updates', async () => {
    const { otps } = await open()

    await Promise.all(
      Array.from({ length: 200 }, (_unused, count) =>
        otps.update(ANNA, (record) => ({
          record: { ...record, wrongTriesAt: [...record.wrongTriesAt, minutes(count)] },
        })),
      ),
    )
    expect((await read(otps, ANNA)).wrongTriesAt).toHaveLength(200)
  })
})

async function save(otps: OtpRepository, email: Email, record: OtpRecord): Promise<void> {
  await otps.update(email, () => ({ record }))
}

async function read(otps: OtpRepository, email: Email): Promise<OtpRecord> {
  const { record } = await otps.update(email, (stored) => ({ record: stored }))
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

function minutes(count: number): Date {
  return new Date(NOON.getTime() + count * MINUTE_MS)
}
