import { describe, expect, test } from 'bun:test'
import type { AccessFacts } from '../../application/access-repository.ts'
import type { Store } from '../../application/store.ts'
import { mergeDispute } from '../../domain/dispute.ts'
import type { Email } from '../../domain/email.ts'
import type { ErasedEmailDigest } from '../../domain/erasure.ts'
import { type Epoch, FIRST_EPOCH, nextEpoch } from '../../domain/log-out.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import { mergeRefund } from '../../domain/refund.ts'
import { NOON, ORIGIN } from '../support/fakes.ts'
import {
  ANNA,
  BERT,
  openPurchase,
  paidPurchase,
  REFUND,
} from '../support/stores/contract-purchases.ts'
import { STORES } from '../support/stores/stores.ts'

const NAME = 'erased-1@alibi.invalid' as Email
const [TODAY, BEFORE, OTHER] = ['today', 'before', 'other'] as [
  ErasedEmailDigest,
  ErasedEmailDigest,
  ErasedEmailDigest,
]
const DISPUTE = { id: 'du_1', paymentIntentId: 'pi_one', state: 'open', reportedAt: NOON } as const
const NOTHING: AccessFacts = { grants: [], loggedOutIn: null, epoch: FIRST_EPOCH }

const epochAt = (afterMs: number) => (NOON.getTime() + afterMs) as Epoch

/** As one caller asks, and once more, so that what a repository remembers is compared as well. */
async function find({ access }: Store, email: Email, digests = [TODAY]): Promise<AccessFacts> {
  const facts = await access.findByEmail(email, () => digests)
  expect(await access.findByEmail(email, () => digests)).toEqual(facts)
  return facts
}

async function buy(store: Store, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase(name) }))
  }
}

describe.each(STORES)('AccessRepository on %s', (_, open) => {
  test('knows nothing of an address of which nothing is stored, whatever others have', async () => {
    const store = await open()
    await buy(store, 'one')
    expect(await find(store, BERT)).toEqual(NOTHING)
    expect(await find(store, '' as Email)).toEqual(NOTHING)
  })

  test('says of every grant what premium is judged by, as the grants themselves do', async () => {
    const store = await open()
    await store.premiumGrants.add({ id: 'by hand', email: ANNA }, ORIGIN)
    await store.premiumGrants.revokeAll(ANNA, ORIGIN)
    await buy(store, 'one', 'two')
    await store.refunds.update([REFUND, { ...REFUND, id: 're_2', amount: 1 }], ORIGIN, mergeRefund)
    await store.disputes.update([DISPUTE], ORIGIN, mergeDispute)
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: openPurchase('three') }))

    const { grants } = await find(store, ANNA)
    const reversed = [
      { amount: REFUND.amount, state: REFUND.state },
      { amount: 1, state: REFUND.state },
    ]
    expect(grants).toHaveLength(3)
    expect(grants).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ payment: null, revokedAt: NOON }),
        expect.objectContaining({
          payment: { amountPaid: 400, refunds: [], disputes: [] },
          revokedAt: null,
        }),
        expect.objectContaining({
          payment: {
            amountPaid: 400,
            refunds: reversed.map((refund) => expect.objectContaining(refund)),
            disputes: [expect.objectContaining({ state: 'open' })],
          },
          revokedAt: null,
        }),
      ]),
    )
    expect(hasPremium(grants)).toBe(hasPremium(await store.premiumGrants.findByEmail(ANNA)))
  })

  test('shows each change of premium to the next question, by whatever it changes', async () => {
    const store = await open()
    const premium = async () => hasPremium((await find(store, ANNA)).grants)
    const full = { ...REFUND, amount: 400 }
    const told: boolean[] = []
    for (const change of [
      () => buy(store, 'one'),
      () => store.refunds.update([full], ORIGIN, mergeRefund),
      () => store.refunds.update([{ ...full, state: 'failed' as const }], ORIGIN, mergeRefund),
      () => store.disputes.update([DISPUTE], ORIGIN, mergeDispute),
      () => store.disputes.update([{ ...DISPUTE, state: 'won' }], ORIGIN, mergeDispute),
      () => store.premiumGrants.revokeAll(ANNA, ORIGIN),
      () => store.premiumGrants.add({ id: 'by hand', email: ANNA }, ORIGIN),
      () => store.premiumGrants.revokeAll(ANNA, ORIGIN),
    ]) {
      await change()
      told.push(await premium())
    }
    expect(told).toEqual([true, false, true, false, true, false, true, false])
  })

  test('shows a log-out, an erasure and the pruning of both to the next question', async () => {
    const store = await open()
    await buy(store, 'one')
    expect(await find(store, ANNA)).toMatchObject({ loggedOutIn: null, epoch: FIRST_EPOCH })

    await store.logOuts.update(ANNA, (epoch) => nextEpoch(epoch, NOON))
    expect(await find(store, ANNA)).toMatchObject({ loggedOutIn: epochAt(1), epoch: epochAt(1) })
    await store.logOuts.update(BERT, (epoch) => nextEpoch(epoch, NOON))
    expect(await find(store, ANNA)).toMatchObject({ loggedOutIn: epochAt(1), epoch: epochAt(2) })

    const erasure = { name: NAME, digests: [TODAY], origin: ORIGIN }
    await store.personalData.erase(ANNA, erasure, (_, epoch) => ({
      closed: [],
      epoch: nextEpoch(epoch, NOON),
    }))
    const erased = { grants: [], loggedOutIn: epochAt(3), epoch: epochAt(3) }
    expect(await find(store, ANNA)).toEqual(erased)
    expect(hasPremium((await find(store, NAME)).grants)).toBe(false)

    const upTo = new Date(NOON.getTime() + 3)
    expect(await store.retention.prune('log_outs', { upTo, limit: 10 })).toBe(2)
    for (const email of [ANNA, BERT]) {
      expect(await find(store, email)).toEqual(erased)
    }
  })

  test('finds the epoch that an erasure left under any of the digests, the latest of all', async () => {
    const store = await open()
    for (const [digest, afterMs] of [
      [TODAY, 2],
      [BEFORE, 3],
      [OTHER, 9],
    ] as const) {
      const erasure = { name: NAME, digests: [digest], origin: ORIGIN }
      const epoch = epochAt(afterMs)
      await store.personalData.erase(ANNA, erasure, () => ({ closed: [], epoch }))
    }
    const [none, one, two, three] = [[], [TODAY], [TODAY, BEFORE], [TODAY, BEFORE, OTHER]]
    const loggedOutIn = async (email: Email, digests: ErasedEmailDigest[]) =>
      (await find(store, email, digests)).loggedOutIn
    // Addresses of their own: the digests of an address are always the same ones.
    expect(await loggedOutIn('none@example.com' as Email, none!)).toBeNull()
    expect(await loggedOutIn('one@example.com' as Email, one!)).toBe(epochAt(2))
    expect(await loggedOutIn('two@example.com' as Email, two!)).toBe(epochAt(3))
    expect(await loggedOutIn('three@example.com' as Email, three!)).toBe(epochAt(9))
  })

  test('is as right for an account of many purchases, with reversals of each', async () => {
    const store = await open()
    const names = Array.from({ length: 40 }, (_, index) => `many-${index}`)
    await buy(store, ...names)
    const refunds = names.flatMap((name) =>
      [399, 1].map((amount) => ({
        id: `re_${name}_${amount}`,
        paymentIntentId: `pi_${name}`,
        amount,
        state: 'succeeded' as const,
      })),
    )
    await store.refunds.update(refunds.slice(0, -1), ORIGIN, mergeRefund)
    const { grants } = await find(store, ANNA)
    expect(grants).toHaveLength(40)
    expect(hasPremium(grants)).toBe(true)

    await store.refunds.update(refunds.slice(-1), ORIGIN, mergeRefund)
    expect(hasPremium((await find(store, ANNA)).grants)).toBe(false)
  })
})
