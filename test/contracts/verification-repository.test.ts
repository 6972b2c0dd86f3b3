import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import { newVerification } from '../../domain/verification.ts'
import { NOON, saveVerification } from '../support/fakes.ts'
import { CHALLENGE, OTHER_CHALLENGE } from '../support/proof-key.ts'
import { STORES } from '../support/stores/stores.ts'

const ANNA = 'anna@example.com' as Email
const BERT = 'bert@example.com' as Email
const HALF_AN_HOUR_MS = 30 * MINUTE_MS

describe.each(STORES)('VerificationRepository on %s', (_, open) => {
  test('knows nothing of an address that was never verified', async () => {
    const { verifications } = await open()

    expect(await verifications.findByEmail(ANNA)).toBeNull()
  })

  test('keeps every field of a verification', async () => {
    const store = await open()
    const { verifications } = store
    const verification = newVerification(ANNA, {
      codeChallenge: CHALLENGE,
      lifetimeMs: HALF_AN_HOUR_MS,
      now: NOON,
    })
    await saveVerification(store, verification)

    expect(await verifications.findByEmail(ANNA)).toEqual(verification)
    expect(await verifications.findByEmail(BERT)).toBeNull()
  })

  test('keeps nothing of the challenge that was there before, also where the latest has none', async () => {
    const store = await open()
    for (const codeChallenge of [CHALLENGE, OTHER_CHALLENGE, null, CHALLENGE]) {
      const latest = newVerification(ANNA, {
        codeChallenge,
        lifetimeMs: HALF_AN_HOUR_MS,
        now: NOON,
      })
      await saveVerification(store, latest)
      expect(await store.verifications.findByEmail(ANNA)).toEqual(latest)
    }
  })

  test('keeps the latest verification of an address, and leaves those of others alone', async () => {
    const store = await open()
    const { verifications } = store
    const berts = newVerification(BERT, { lifetimeMs: HALF_AN_HOUR_MS, now: NOON })
    await saveVerification(store, berts)
    await saveVerification(store, newVerification(ANNA, { lifetimeMs: HALF_AN_HOUR_MS, now: NOON }))

    const now = new Date(NOON.getTime() + MINUTE_MS)
    const latest = newVerification(ANNA, { lifetimeMs: 1000, now })
    await saveVerification(store, latest)

    expect(await verifications.findByEmail(ANNA)).toEqual(latest)
    expect(await verifications.findByEmail(BERT)).toEqual(berts)
  })
})
