import { describe, expect, test } from 'bun:test'
import type { PurchaseRepository } from '../../application/ports.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { closePurchase, findOpenPurchase, type Purchase } from '../../domain/purchase.ts'
import { NOON } from '../fakes.ts'
import { STORES } from '../stores.ts'
import { ANNA, BERT, openPurchase, paidPurchase } from './purchases.ts'

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
    openPurchase('one', { state: 'review', sessionId: 'cs_one', reviewReason: 'currency' }),
  ],
  ['paid', paidPurchase('one')],
  ['paid by a voucher alone', paidPurchase('one', { amountPaid: 0, paymentIntentId: null })],
  ['revoked', paidPurchase('one', { revokedAt: new Date(NOON.getTime() + 1) })],
]

describe.each(STORES)('PurchaseRepository on %s', (_, open) => {
  test('knows an address that bought nothing as an empty account', async () => {
    const { purchases } = await open()

    expect(await purchases.findAccount(ANNA)).toEqual({ purchases: [], grants: [] })
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

  test('finds a purchase by its session', async () => {
    const { purchases } = await open()
    const purchase = openPurchase('one', { sessionId: 'cs_one' })
    await save(purchases, purchase)
    await save(purchases, openPurchase('two', { email: BERT }))

    expect(await purchases.findBySessionId('cs_one')).toEqual(purchase)
    expect(await purchases.findBySessionId('cs_two')).toBeNull()
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
      const createdAt = new Date(NOON.getTime() + minute * 60_000)
      await save(purchases, paidPurchase(`made in minute ${minute}`, { createdAt }))
    }

    const { purchases: listed } = await purchases.findAccount(ANNA)
    expect(listed.map(({ id }) => id as string)).toEqual([
      'made in minute 0',
      'made in minute 1',
      'made in minute 2',
    ])
  })

  test('shows the change the purchases and the grants of the address', async () => {
    const { purchases, premiumGrants, refunds } = await open()
    const purchase = paidPurchase('one')
    const refund = { id: 're_1', paymentIntentId: 'pi_one', amount: 1, state: 'pending' } as const
    await save(purchases, purchase)
    await refunds.update([{ id: 're_1' }], () => refund)
    await premiumGrants.add({ id: 'by hand', email: ANNA, grantedAt: NOON })

    const { account } = await purchases.update(ANNA, (seen) => ({ purchase: null, account: seen }))
    expect(account.purchases).toEqual([purchase])
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

    const result = await purchases.update(ANNA, () => ({ purchase: null, answer: 42 }))
    expect(result).toEqual({ purchase: null, answer: 42 })
    expect((await purchases.findAccount(ANNA)).purchases).toEqual([])
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { purchases } = await open()
    await save(purchases, openPurchase('one'))

    const refusal = new Error('refused')
    const refused = purchases.update(ANNA, () => {
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
        purchases.update(ANNA, (account) => ({
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
        purchases.update(ANNA, ({ purchases: [known] }) => ({
          purchase: { ...known!, expiresAt: new Date(known!.expiresAt.getTime() + 1) },
        })),
      ),
    )
    const expected = new Date(openPurchase('one').expiresAt.getTime() + 200)
    expect((await purchases.findById(openPurchase('one').id))?.expiresAt).toEqual(expected)
  })
})

async function save(purchases: PurchaseRepository, purchase: Purchase): Promise<void> {
  await purchases.update(purchase.email, () => ({ purchase }))
}

/** To try again would not help, so it is no outage. */
async function expectFault(work: Promise<void>): Promise<void> {
  const error: unknown = await work.then(
    () => null,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(Unavailable)
}
