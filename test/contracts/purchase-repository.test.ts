import { describe, expect, test } from 'bun:test'
import type { PurchaseRepository } from '../../application/store.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { type Dispute, mergeDispute } from '../../domain/dispute.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import { type ErasedEmailDigest, erasedEmail } from '../../domain/erasure.ts'
import { draftMessage } from '../../domain/outbox.ts'
import { closePurchase, findOpenPurchase, type Purchase } from '../../domain/purchase.ts'
import { mergeRefund, type Refund } from '../../domain/refund.ts'
import { newVerification } from '../../domain/verification.ts'
import { inState, NOON, NOON_EPOCH, ORIGIN, saveVerification } from '../support/fakes.ts'
import { ANNA, BERT, openPurchase, paidPurchase } from '../support/stores/contract-purchases.ts'
import { STORES } from '../support/stores/stores.ts'

const EVERY_KIND: readonly [string, Purchase][] = [
  ['open, before the provider has answered', openPurchase('one')],
  ['open, with its session', openPurchase('one', { sessionId: 'cs_one' })],
  ['one for real money', openPurchase('one', { live: true })],
  [
    'processing',
    openPurchase('one', { state: 'processing', sessionId: 'cs_one', paymentIntentId: 'pi_one' }),
  ],
  ['closed', openPurchase('one', { state: 'closed' })],
  [
    'put aside for review',
    openPurchase('one', {
      state: 'review',
      sessionId: 'cs_one',
      reviewReason: 'currency',
      amountReceived: 9,
    }),
  ],
  ['paid', paidPurchase('one')],
  ['paid by a voucher alone', paidPurchase('one', { amountPaid: 0, paymentIntentId: null })],
  ['one too many', paidPurchase('one', { isDuplicate: true })],
  ['revoked', paidPurchase('one', { revokedAt: new Date(NOON.getTime() + 1) })],
]

describe.each(STORES)('PurchaseRepository on %s', (_, open) => {
  test('knows an address that bought nothing as an empty account', async () => {
    const { purchases } = await open()

    expect(await purchases.findAccount(ANNA)).toEqual({
      purchases: [],
      grants: [],
      refunds: [],
      disputes: [],
      verification: null,
    })
    expect(await purchases.findById(openPurchase('one').id)).toBeNull()
    expect(await purchases.findBySessionId('cs_one')).toBeNull()
  })

  test.each(EVERY_KIND)('keeps every field of a purchase that is %s', async (_kind, purchase) => {
    const { purchases } = await open()
    await save(purchases, purchase)

    expect(await purchases.findById(purchase.id)).toEqual(purchase)
    expect((await purchases.findAccount(ANNA)).purchases).toEqual([purchase])
    expect((await purchases.findAccount(BERT)).purchases).toEqual([])
  })

  test('finds a purchase by its session, and by its payment', async () => {
    const { purchases } = await open()
    const purchase = openPurchase('one', { sessionId: 'cs_one', paymentIntentId: 'pi_one' })
    await save(purchases, purchase)
    await save(purchases, openPurchase('two', { email: BERT }))

    expect(await purchases.findBySessionId('cs_one')).toEqual(purchase)
    expect(await purchases.findBySessionId('cs_two')).toBeNull()
    expect(await purchases.findByPaymentIntentId('pi_one')).toEqual(purchase)
    expect(await purchases.findByPaymentIntentId('pi_two')).toBeNull()
  })

  test('knows at which prices it has purchases, by mode, but for orders that were refused', async () => {
    const { purchases } = await open()
    const order = { reviewReason: 'order', amountReceived: 1 } as const
    const amount = { reviewReason: 'amount', amountReceived: 1 } as const
    const at = (amount: number, currency = 'eur') => ({ price: { amount, currency } })
    for (const purchase of [
      openPurchase('one', at(300)),
      openPurchase('two', { ...at(1), state: 'review', ...order }),
      openPurchase('three', { ...at(2), state: 'review', ...amount }),
      openPurchase('four', { ...at(3), state: 'closed', live: true }),
    ]) {
      await save(purchases, purchase)
    }
    const asked = (amount: number, currency = 'eur', live = false) =>
      purchases.isAskedPrice({ amount, currency }, { live })
    expect([await asked(300), await asked(2), await asked(3, 'eur', true)]).toEqual([
      true,
      true,
      true,
    ])
    for (const other of [
      asked(300, 'usd'),
      asked(301),
      asked(300, 'eur', true),
      asked(1),
      asked(3),
    ])
      expect(await other).toBe(false)
  })

  test('changes the purchase that is there', async () => {
    const { purchases } = await open()
    await save(purchases, openPurchase('one'))
    await save(purchases, paidPurchase('one'))

    expect((await purchases.findAccount(ANNA)).purchases).toEqual([paidPurchase('one')])
  })

  test('lists the purchases of an address oldest first', async () => {
    const { purchases } = await open()
    for (const minute of [2, 0, 1]) {
      const createdAt = new Date(NOON.getTime() + minute * MINUTE_MS)
      await save(purchases, paidPurchase(`made in minute ${minute}`, { createdAt }))
    }

    const { purchases: listed } = await purchases.findAccount(ANNA)
    expect(listed.map(({ id }) => id as string)).toEqual([
      'made in minute 0',
      'made in minute 1',
      'made in minute 2',
    ])
  })

  test('shows the change the purchases, the grants and the refunds of the address', async () => {
    const { purchases, premiumGrants, refunds } = await open()
    const purchase = paidPurchase('one')
    const refund = { id: 're_1', paymentIntentId: 'pi_one', amount: 1, state: 'pending' } as const
    await save(purchases, purchase)
    await refunds.update([refund], ORIGIN, () => refund)
    await premiumGrants.add({ id: 'by hand', email: ANNA }, ORIGIN)

    const { account } = await purchases.update(ANNA, ORIGIN, (seen) => ({
      purchase: null,
      account: seen,
    }))
    expect(account.purchases).toEqual([purchase])
    expect(account.refunds).toEqual([refund])
    expect(account.grants).toHaveLength(2)
    expect(account.grants).toContainEqual({
      id: 'by hand',
      email: ANNA,
      payment: null,
      revokedAt: null,
    })
    expect(account.grants).toContainEqual({
      id: 'one',
      email: ANNA,
      payment: { amountPaid: 400, refunds: [refund], disputes: [] },
      revokedAt: null,
    })
    expect(await purchases.findAccount(ANNA)).toEqual(account)
  })

  test('hands on all that the change returns, and stores nothing for null', async () => {
    const { purchases } = await open()

    const result = await purchases.update(ANNA, ORIGIN, () => ({ purchase: null, answer: 42 }))
    expect(result).toEqual({ purchase: null, answer: 42 })
    expect((await purchases.findAccount(ANNA)).purchases).toEqual([])
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { purchases } = await open()
    await save(purchases, openPurchase('one'))

    const refusal = new Error('refused')
    const refused = purchases.update(ANNA, ORIGIN, () => {
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect((await purchases.findAccount(ANNA)).purchases).toEqual([openPurchase('one')])
  })

  test('refuses a second open purchase of one address', async () => {
    const { purchases } = await open()
    await save(purchases, openPurchase('one'))

    await expectFault(save(purchases, openPurchase('two')))
    expect((await purchases.findAccount(ANNA)).purchases).toEqual([openPurchase('one')])
  })

  test('takes an open purchase of another address, and the next one once the first is closed', async () => {
    const { purchases } = await open()
    await save(purchases, openPurchase('one'))
    await save(purchases, openPurchase('two', { email: BERT }))
    await save(purchases, closePurchase(openPurchase('one')))
    await save(purchases, openPurchase('three'))

    expect((await purchases.findAccount(ANNA)).purchases).toHaveLength(2)
    expect((await purchases.findAccount(BERT)).purchases).toHaveLength(1)
  })

  test('refuses one session under two purchases, also of two addresses', async () => {
    const { purchases } = await open()
    const first = paidPurchase('one', { sessionId: 'cs_shared' })
    await save(purchases, first)
    await save(purchases, openPurchase('three', { email: BERT }))

    await expectFault(save(purchases, paidPurchase('two', { sessionId: 'cs_shared' })))
    await expectFault(
      save(purchases, openPurchase('three', { email: BERT, sessionId: 'cs_shared' })),
    )
    expect(await purchases.findBySessionId('cs_shared')).toEqual(first)
    expect(await purchases.findById(openPurchase('two').id)).toBeNull()
    expect((await purchases.findById(openPurchase('three').id))?.sessionId).toBeNull()
  })

  test('lets only one of 50 parallel checkouts begin a purchase', async () => {
    const { purchases } = await open()

    const results = await Promise.all(
      Array.from({ length: 50 }, (_unused, count) =>
        purchases.update(ANNA, ORIGIN, (account) => ({
          purchase: findOpenPurchase(account.purchases) ?? openPurchase(`number ${count}`),
        })),
      ),
    )
    expect(new Set(results.map(({ purchase }) => purchase.id)).size).toBe(1)
    expect((await purchases.findAccount(ANNA)).purchases).toHaveLength(1)
  })

  test('loses none of 200 parallel updates', async () => {
    const { purchases } = await open()
    await save(purchases, openPurchase('one'))

    await Promise.all(
      Array.from({ length: 200 }, () =>
        purchases.update(ANNA, ORIGIN, ({ purchases: [known] }) => ({
          purchase: { ...known!, expiresAt: new Date(known!.expiresAt.getTime() + 1) },
        })),
      ),
    )
    const expected = new Date(openPurchase('one').expiresAt.getTime() + 200)
    expect((await purchases.findById(openPurchase('one').id))?.expiresAt).toEqual(expected)
  })
})

describe.each(STORES)('what an account got back on %s', (_, open) => {
  test('is all of all its payments, whatever became of it, and nothing of anybody else', async () => {
    const { purchases, refunds, disputes } = await open()
    const payments = ['pi_paid', 'pi_review', 'pi_bert', 'pi_foreign']
    const sentBack = payments.map((paymentIntentId, index): Refund => {
      return { id: `re_${index}`, paymentIntentId, amount: 1, state: 'failed' }
    })
    const disputed = payments.map((paymentIntentId, index): Dispute => {
      return { id: `du_${index}`, paymentIntentId, state: 'won', reportedAt: NOON }
    })
    await refunds.update(sentBack, ORIGIN, mergeRefund)
    await disputes.update(disputed, ORIGIN, mergeDispute)
    await save(purchases, paidPurchase('paid'))
    const review = openPurchase('review', { paymentIntentId: 'pi_review' })
    await save(purchases, inState(review, 'review'))
    await save(purchases, openPurchase('open'))
    await save(purchases, paidPurchase('bert', { email: BERT }))

    const own = await purchases.findAccount(ANNA)
    expect(own.refunds.toSorted(byId)).toEqual(sentBack.slice(0, 2))
    expect(own.disputes.toSorted(byId)).toEqual(disputed.slice(0, 2))
    const berts = await purchases.findAccount(BERT)
    expect(berts).toMatchObject({ refunds: [sentBack[2]!], disputes: [disputed[2]!] })
  })

  test('changes a purchase by its id, for the address that it has', async () => {
    const { purchases } = await open()
    const bought = openPurchase('one', { email: BERT })
    await save(purchases, bought)
    await save(purchases, openPurchase('two'))

    const result = await purchases.updateById(bought.id, ORIGIN, (account, purchase) => {
      expect(account.purchases).toEqual([bought])
      expect(purchase).toEqual(bought)
      return { purchase: closePurchase(purchase), answer: 42 }
    })
    expect(result?.answer).toBe(42)
    expect(await purchases.findById(bought.id)).toEqual(closePurchase(bought))
  })

  test('writes what follows from a change by id to the audit trail and the outbox', async () => {
    const { purchases, auditTrail, outbox } = await open()
    const bought = openPurchase('one')
    await save(purchases, bought)
    const purchase = paidPurchase('one')
    const messages = [draftMessage('payment_confirmed', purchase, NOON)]
    await purchases.updateById(bought.id, ORIGIN, () => ({ purchase, messages }))
    expect(await auditTrail.findByEmail(ANNA)).toMatchObject([{ reason: 'paid', ...ORIGIN }])
    expect(await outbox.findByPurchase(bought.id)).toEqual(messages)
  })

  test('changes nothing by an unknown id, nor when the change throws', async () => {
    const { purchases } = await open()
    const bought = openPurchase('one')
    expect(
      await purchases.updateById(bought.id, ORIGIN, () => {
        throw new Error('asked for nothing')
      }),
    ).toBeNull()
    await save(purchases, bought)
    const refused = purchases.updateById(bought.id, ORIGIN, () => {
      throw new Error('refused')
    })
    await expect(refused).rejects.toThrow('refused')
    expect((await purchases.findAccount(ANNA)).purchases).toEqual([bought])
  })

  test('finds the account by one of its purchases, for the address that it has by then', async () => {
    const { purchases, personalData } = await open()
    const [first, second] = [paidPurchase('one'), openPurchase('two')]
    await save(purchases, first)
    await save(purchases, second)
    await save(purchases, openPurchase('three', { email: BERT }))

    expect(await purchases.findAccountByPurchase(second.id)).toEqual(
      await purchases.findAccount(ANNA),
    )
    expect(await purchases.findAccountByPurchase(openPurchase('unknown').id)).toBeNull()

    const name = erasedEmail('1')
    const erasure = { name, digests: ['digest' as ErasedEmailDigest], origin: ORIGIN }
    await personalData.erase(ANNA, erasure, () => ({ closed: [], epoch: NOON_EPOCH }))
    const erased = await purchases.findAccountByPurchase(first.id)
    expect(erased).toEqual(await purchases.findAccount(name))
    expect(erased?.purchases.map(({ email }) => email)).toContain(name)
  })

  test('says whether the address is verified', async () => {
    const store = await open()
    const verification = newVerification(ANNA, { lifetimeMs: 1000, now: NOON })
    await saveVerification(store, verification)
    expect((await store.purchases.findAccount(ANNA)).verification).toEqual(verification)
    expect((await store.purchases.findAccount(BERT)).verification).toBeNull()
    const { account } = await store.purchases.update(ANNA, ORIGIN, (seen) => ({
      purchase: null,
      account: seen,
    }))
    expect(account.verification).toEqual(verification)
  })
})

async function save(purchases: PurchaseRepository, purchase: Purchase): Promise<void> {
  await purchases.update(purchase.email, ORIGIN, () => ({ purchase }))
}

/** To try again would not help, so it is no outage. */
async function expectFault(work: Promise<unknown>): Promise<void> {
  const error: unknown = await work.then(
    () => null,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(Unavailable)
}

function byId(left: { id: string }, right: { id: string }): number {
  return left.id < right.id ? -1 : 1
}
