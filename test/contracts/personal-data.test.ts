import { describe, expect, test } from 'bun:test'
import type { Store } from '../../application/store.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import { type ErasedEmailDigest, erasedEmail } from '../../domain/erasure.ts'
import { type Epoch, FIRST_EPOCH } from '../../domain/log-out.ts'
import type { MailboxDigest } from '../../domain/mailbox.ts'
import { EMPTY_OTP_RECORD, type OtpSeed } from '../../domain/otp.ts'
import { draftMessage } from '../../domain/outbox.ts'
import { closePurchase } from '../../domain/purchase.ts'
import { newVerification } from '../../domain/verification.ts'
import { NOON, NOON_EPOCH, ORIGIN } from '../support/fakes.ts'
import { networkNumber } from '../support/senders.ts'
import {
  ANNA,
  BERT,
  openPurchase,
  paidPurchase,
  REFUND,
} from '../support/stores/contract-purchases.ts'
import { findEpoch, findLogOut } from '../support/stores/log-outs.ts'
import { NO_RECORDS } from '../support/stores/stored-persons.ts'
import { STORES } from '../support/stores/stores.ts'

const LATER = new Date(NOON.getTime() + 1000)
const LATER_EPOCH = LATER.getTime() as Epoch
const NAME = erasedEmail('1')
const ERASURE = {
  name: NAME,
  digests: ['trace' as ErasedEmailDigest, 'other trace' as ErasedEmailDigest],
  origin: { ...ORIGIN, at: LATER, source: 'erase' },
}
const DISPUTE = { id: 'du_1', paymentIntentId: 'pi_one', state: 'won', reportedAt: NOON } as const
const OTP = { issuedAt: NOON, expiresAt: LATER, attemptsLeft: 4 }
const VERIFICATION = newVerification(ANNA, { lifetimeMs: 1000, now: NOON })

const NETWORK = networkNumber(1)
const BERTS_RECORD = {
  ...EMPTY_OTP_RECORD,
  mails: [{ at: NOON, network: NETWORK, mailbox: null }],
}

const PAID_AT = new Date(NOON.getTime() + MINUTE_MS)
const PAID = paidPurchase('one', { paidAt: PAID_AT })
const OPEN = openPurchase('two', { createdAt: LATER })
const MESSAGE = draftMessage('payment_confirmed', PAID, NOON)

/** Anna has something of everything, and so has Bert of some. */
async function fill({ otps, purchases, refunds, disputes, premiumGrants, logOuts }: Store) {
  await otps.update({ email: ANNA, sender: 'stranger' }, () => ({
    record: {
      current: { ...OTP, seed: 'one' as OtpSeed },
      replacement: { ...OTP, seed: 'two' as OtpSeed, issuedAt: LATER },
      mails: [
        { at: NOON, network: NETWORK, mailbox: 'digest' as MailboxDigest },
        { at: LATER, network: null, mailbox: null },
      ],
      wrongTries: [{ at: LATER, network: NETWORK }],
    },
    verification: VERIFICATION,
  }))
  await otps.update({ email: ANNA, sender: 'holder' }, () => ({
    record: {
      current: { ...OTP, seed: 'three' as OtpSeed },
      replacement: null,
      mails: [{ at: LATER, network: null, mailbox: null }],
      wrongTries: [{ at: NOON, network: null }],
    },
  }))
  await purchases.update(ANNA, ORIGIN, () => ({ purchase: PAID, messages: [MESSAGE] }))
  await purchases.update(ANNA, ORIGIN, () => ({ purchase: OPEN }))
  await refunds.update([REFUND], ORIGIN, () => REFUND)
  await disputes.update([DISPUTE], ORIGIN, () => DISPUTE)
  await premiumGrants.add({ id: 'grant_1', email: ANNA }, ORIGIN)
  await logOuts.update(ANNA, () => NOON_EPOCH)

  await otps.update({ email: BERT, sender: 'stranger' }, () => ({ record: BERTS_RECORD }))
  await premiumGrants.add({ id: 'grant_2', email: BERT }, ORIGIN)
  await logOuts.update(BERT, () => NOON_EPOCH)
}

describe.each(STORES)('PersonalData on %s', (_, open) => {
  test('knows nothing of a stranger', async () => {
    const store = await open()
    await store.premiumGrants.add({ id: 'grant_1', email: BERT }, ORIGIN)
    expect(await store.personalData.find(ANNA)).toEqual(NO_RECORDS)
  })

  test('finds everything about an address, and no secret', async () => {
    const store = await open()
    await fill(store)
    const { codeChallenge: _, epoch: __, ...verification } = VERIFICATION
    const payment = { amountPaid: 400, refunds: [REFUND], disputes: [DISPUTE] }
    const byHand = { id: 'grant_1', email: ANNA, payment: null, revokedAt: null, since: NOON }
    const bought = { id: 'one', email: ANNA, payment, revokedAt: null, since: PAID_AT }
    expect(await store.personalData.find(ANNA)).toEqual({
      codes: [
        { ...OTP, sender: 'stranger' },
        { ...OTP, issuedAt: LATER, sender: 'stranger' },
        { ...OTP, sender: 'holder' },
      ],
      codeMails: [
        { at: NOON, network: NETWORK, sender: 'stranger' },
        { at: LATER, network: null, sender: 'stranger' },
        { at: LATER, network: null, sender: 'holder' },
      ],
      wrongTries: [
        { at: LATER, network: NETWORK, sender: 'stranger' },
        { at: NOON, network: null, sender: 'holder' },
      ],
      verification,
      logOutLineAt: NOON,
      purchases: [PAID, OPEN],
      grants: [byHand, bought],
      refunds: [REFUND],
      disputes: [DISPUTE],
      messages: [MESSAGE],
      audit: await store.auditTrail.findByEmail(ANNA),
      sandboxSessions: [],
    })
    expect(await store.auditTrail.findByEmail(ANNA)).toHaveLength(4)
  })

  test('changes nothing where the decision is null, or fails', async () => {
    const store = await open()
    await fill(store)
    const before = await store.personalData.find(ANNA)
    expect(await store.personalData.erase(ANNA, ERASURE, () => null)).toBeNull()
    const failed = store.personalData.erase(ANNA, ERASURE, () => {
      throw new Error('refused')
    })
    await expect(failed).rejects.toThrow('refused')
    expect(await store.personalData.find(ANNA)).toEqual(before)
    expect(await findLogOut(store.access, BERT, ERASURE.digests)).toBe(NOON_EPOCH)
  })

  test('decides on the account and its log-out, and stores the decision', async () => {
    const store = await open()
    await fill(store)
    const account = await store.purchases.findAccount(ANNA)
    const seen: unknown[] = []
    await store.personalData.erase(ANNA, ERASURE, (...shown) => {
      seen.push(...shown)
      return { closed: [closePurchase(OPEN)], epoch: LATER_EPOCH }
    })
    expect(seen).toEqual([account, NOON_EPOCH])
    const stored = await store.purchases.findById(OPEN.id)
    expect(stored).toEqual({ ...closePurchase(OPEN), email: NAME })
  })

  test('leaves of an erased address what the books need, revoked and under another name', async () => {
    const store = await open()
    await fill(store)
    const kept = await store.personalData.erase(ANNA, ERASURE, () => ({
      closed: [closePurchase(OPEN)],
      epoch: LATER_EPOCH,
    }))
    expect(kept).toEqual({
      purchases: 2,
      operatorGrants: 1,
      refunds: 1,
      disputes: 1,
      messages: 1,
      auditEntries: 6,
      sandboxSessions: 0,
    })
    expect(await store.personalData.find(ANNA)).toEqual(NO_RECORDS)
    expect(
      await store.otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({ record })),
    ).toEqual({
      record: EMPTY_OTP_RECORD,
    })
    const left = await store.personalData.find(NAME)
    expect([left.codes, left.verification, left.logOutLineAt]).toEqual([[], null, null])
    expect(left.purchases).toEqual([
      paidPurchase('one', { paidAt: PAID_AT, email: NAME, revokedAt: LATER }),
      { ...closePurchase(OPEN), email: NAME },
    ])
    expect(left.grants.map(({ id, revokedAt }) => [id, revokedAt])).toEqual([
      ['grant_1', LATER],
      ['one', LATER],
    ])
    expect([left.refunds, left.disputes]).toEqual([[REFUND], [DISPUTE]])
    expect(left.messages).toEqual([{ ...MESSAGE, email: NAME }])
    expect(left.audit.slice(-2)).toMatchObject([
      { reason: 'revoked', ...ERASURE.origin, email: NAME },
      { reason: 'revoked', ...ERASURE.origin, email: NAME },
    ])
  })

  test('leaves everybody else as they were', async () => {
    const store = await open()
    await fill(store)
    const before = await store.personalData.find(BERT)
    await store.personalData.erase(ANNA, ERASURE, () => ({ closed: [], epoch: LATER_EPOCH }))
    expect(await store.personalData.find(BERT)).toEqual(before)
    expect(await store.premiumGrants.findByEmail(BERT)).toHaveLength(1)
  })

  test('leaves the epoch under each of the digests', async () => {
    const store = await open()
    await store.personalData.erase(ANNA, ERASURE, () => ({ closed: [], epoch: LATER_EPOCH }))
    for (const [index, digest] of ERASURE.digests.entries()) {
      // An address of its own: the digests of an address are always the same ones.
      const email = `anna-${index}@example.com` as Email
      expect(await findLogOut(store.access, email, [digest])).toBe(LATER_EPOCH)
    }
  })

  test('keeps the later epoch of an address that is erased twice', async () => {
    const store = await open()
    const epochs: Epoch[] = []
    for (const epoch of [LATER_EPOCH, (LATER_EPOCH + 1) as Epoch]) {
      await store.personalData.erase(ANNA, ERASURE, (_account, known) => {
        epochs.push(known)
        return { closed: [], epoch }
      })
    }
    expect(epochs).toEqual([FIRST_EPOCH, LATER_EPOCH])
    expect(await findLogOut(store.access, ANNA, ERASURE.digests)).toBe((LATER_EPOCH + 1) as Epoch)
    expect(await findEpoch(store.access)).toBe((LATER_EPOCH + 1) as Epoch)
  })

  test('goes whole or not at all among a hundred parallel writers', async () => {
    const store = await open()
    await fill(store)
    const writes = Array.from({ length: 100 }, (_, number) =>
      number === 50
        ? store.personalData.erase(ANNA, ERASURE, () => ({ closed: [], epoch: LATER_EPOCH }))
        : store.purchases.updateById(PAID.id, ORIGIN, (account, purchase) => {
            const names = new Set(
              [...account.purchases, ...account.grants].map(({ email }) => email),
            )
            expect([...names]).toEqual([purchase.email])
            return { purchase: null }
          }),
    )
    expect((await Promise.all(writes)).filter((result) => result === null)).toEqual([])
    expect(await store.personalData.find(ANNA)).toEqual(NO_RECORDS)
  })
})
