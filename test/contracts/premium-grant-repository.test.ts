import { describe, expect, test } from 'bun:test'
import type { Store } from '../../application/store.ts'
import type { Dispute } from '../../domain/dispute.ts'
import { HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import type { PremiumGrant } from '../../domain/premium-grant.ts'
import { PURCHASE_STATES, type Purchase } from '../../domain/purchase.ts'
import type { Refund } from '../../domain/refund.ts'
import { inState, NOON, ORIGIN } from '../support/fakes.ts'
import { ANNA, BERT, openPurchase, paidPurchase } from '../support/stores/contract-purchases.ts'
import { STORES } from '../support/stores/stores.ts'

const LATER = new Date(NOON.getTime() + HOUR_MS)
const MUCH_LATER = new Date(NOON.getTime() + 7_200_000)

const REFUND: Refund = { id: 're_1', paymentIntentId: 'pi_one', amount: 100, state: 'pending' }
const DISPUTE: Dispute = { id: 'du_1', paymentIntentId: 'pi_one', state: 'open', reportedAt: LATER }

describe.each(STORES)('PremiumGrantRepository on %s', (_, open) => {
  test('knows no grant of an address that has none', async () => {
    const { premiumGrants } = await open()

    expect(await premiumGrants.findByEmail(ANNA)).toEqual([])
  })

  test('gives an address premium by an operator’s word, as often as it is given', async () => {
    const store = await open()
    await store.premiumGrants.add({ id: 'first', email: ANNA }, ORIGIN)
    await store.premiumGrants.add({ id: 'second', email: ANNA }, ORIGIN)

    const byHand = { email: ANNA, payment: null, revokedAt: null }
    expect(await grantsOf(store, ANNA)).toEqual([
      { id: 'first', ...byHand },
      { id: 'second', ...byHand },
    ])
    expect(await grantsOf(store, BERT)).toEqual([])
  })

  test('counts a paid purchase as a grant under its own id', async () => {
    const store = await open()
    await save(store, paidPurchase('one', { amountPaid: 250, revokedAt: LATER }))

    expect(await grantsOf(store, ANNA)).toEqual([
      {
        id: 'one',
        email: ANNA,
        payment: { amountPaid: 250, refunds: [], disputes: [] },
        revokedAt: LATER,
      },
    ])
    expect(await grantsOf(store, BERT)).toEqual([])
  })

  test.each(PURCHASE_STATES.filter((state) => state !== 'paid'))(
    'counts no purchase that is %s',
    async (state) => {
      const store = await open()
      await save(store, inState(openPurchase('one'), state))

      expect(await grantsOf(store, ANNA)).toEqual([])
    },
  )

  test('joins refunds and disputes to the purchase of their payment', async () => {
    const store = await open()
    await save(store, paidPurchase('one'))
    await save(store, paidPurchase('two'))
    const secondRefund: Refund = { ...REFUND, id: 're_2', state: 'failed' }
    const secondDispute: Dispute = { ...DISPUTE, id: 'du_2', state: 'won' }
    await report(store, [REFUND, secondRefund], [DISPUTE, secondDispute])

    const [one, two] = await grantsOf(store, ANNA)
    expect(one?.payment?.refunds.toSorted(byId)).toEqual([REFUND, secondRefund])
    expect(one?.payment?.disputes.toSorted(byId)).toEqual([DISPUTE, secondDispute])
    expect(two?.payment).toEqual({ amountPaid: 400, refunds: [], disputes: [] })
  })

  test('joins them also when they were known before the purchase was paid', async () => {
    const store = await open()
    await report(store, [REFUND], [DISPUTE])
    await save(store, openPurchase('one'))
    expect(await grantsOf(store, ANNA)).toEqual([])

    await save(store, paidPurchase('one'))
    const [grant] = await grantsOf(store, ANNA)
    expect(grant?.payment).toEqual({ amountPaid: 400, refunds: [REFUND], disputes: [DISPUTE] })
  })

  test('joins nothing to a purchase that was paid with no payment intent', async () => {
    const store = await open()
    await report(store, [REFUND], [DISPUTE])
    await save(store, paidPurchase('one', { amountPaid: 0, paymentIntentId: null }))

    const [grant] = await grantsOf(store, ANNA)
    expect(grant?.payment).toEqual({ amountPaid: 0, refunds: [], disputes: [] })
  })

  test('revokes every grant the address has, active or not, and says how many', async () => {
    const store = await open()
    await store.premiumGrants.add({ id: 'by hand', email: ANNA }, ORIGIN)
    await save(store, paidPurchase('one'))
    await save(store, paidPurchase('two'))
    await report(store, [{ ...REFUND, amount: 400 }], [])

    expect(await store.premiumGrants.revokeAll(ANNA, { ...ORIGIN, at: LATER })).toBe(3)
    const grants = await grantsOf(store, ANNA)
    expect(grants.map(({ revokedAt }) => revokedAt)).toEqual([LATER, LATER, LATER])
  })

  test('keeps the date of what was revoked before, and does not count it again', async () => {
    const store = await open()
    await store.premiumGrants.add({ id: 'by hand', email: ANNA }, ORIGIN)
    await save(store, paidPurchase('one'))
    await store.premiumGrants.revokeAll(ANNA, { ...ORIGIN, at: LATER })

    expect(await store.premiumGrants.revokeAll(ANNA, { ...ORIGIN, at: MUCH_LATER })).toBe(0)
    const grants = await grantsOf(store, ANNA)
    expect(grants.map(({ revokedAt }) => revokedAt)).toEqual([LATER, LATER])
  })

  test('leaves the grants of other addresses alone', async () => {
    const store = await open()
    await store.premiumGrants.add({ id: 'by hand', email: BERT }, ORIGIN)
    await save(store, paidPurchase('one', { email: BERT }))

    expect(await store.premiumGrants.revokeAll(ANNA, { ...ORIGIN, at: LATER })).toBe(0)
    const grants = await grantsOf(store, BERT)
    expect(grants).toHaveLength(2)
    expect(grants.map(({ revokedAt }) => revokedAt)).toEqual([null, null])
  })

  test('lets a purchase that is paid after the revocation grant premium again', async () => {
    const store = await open()
    const processing = openPurchase('one', { state: 'processing' })
    await save(store, processing)
    await store.premiumGrants.add({ id: 'by hand', email: ANNA }, ORIGIN)

    await store.premiumGrants.revokeAll(ANNA, { ...ORIGIN, at: LATER })
    expect(await store.purchases.findById(processing.id)).toEqual(processing)

    await save(store, paidPurchase('one'))
    await store.premiumGrants.add({ id: 'by hand again', email: ANNA }, ORIGIN)
    const grants = await grantsOf(store, ANNA)
    expect(grants.map(({ id, revokedAt }) => [id, revokedAt])).toEqual([
      ['by hand', LATER],
      ['by hand again', null],
      ['one', null],
    ])
  })

  test('lists everybody’s, oldest first, page by page, with what became of the money', async () => {
    const { premiumGrants, purchases, refunds } = await open()
    const minutes = (count: number) => new Date(NOON.getTime() + count * MINUTE_MS)
    const add = (id: string, email: Email, at: Date) =>
      premiumGrants.add({ id, email }, { ...ORIGIN, at })
    await add('grant_3', ANNA, minutes(3))
    await add('grant_1', BERT, minutes(1))
    await add('zero', BERT, minutes(2))
    for (const purchase of [
      paidPurchase('pur_2', { paidAt: minutes(2), revokedAt: minutes(9) }),
      paidPurchase('pur_1', { paidAt: minutes(1), email: BERT }),
      paidPurchase('pur_0', { paidAt: minutes(3), paymentIntentId: null, amountPaid: 0 }),
      openPurchase('pur_9', { state: 'closed' }),
    ]) {
      await purchases.update(purchase.email, ORIGIN, () => ({ purchase }))
    }
    const refund = { ...REFUND, paymentIntentId: 'pi_pur_2' }
    await refunds.update([refund], ORIGIN, () => refund)

    const all = await premiumGrants.list({ after: null, limit: 10 })
    expect(all.map(({ id, since }) => [id, since])).toEqual([
      ['grant_1', minutes(1)],
      ['pur_1', minutes(1)],
      ['pur_2', minutes(2)],
      ['zero', minutes(2)],
      ['grant_3', minutes(3)],
      ['pur_0', minutes(3)],
    ])
    expect(all[0]).toEqual({
      id: 'grant_1',
      email: BERT,
      payment: null,
      revokedAt: null,
      since: minutes(1),
    })
    expect(all[2]).toEqual({
      id: 'pur_2',
      email: ANNA,
      payment: { amountPaid: 400, refunds: [refund], disputes: [] },
      revokedAt: minutes(9),
      since: minutes(2),
    })
    for (let limit = 1; limit <= 7; limit++) {
      const paged: (typeof all)[number][] = []
      for (;;) {
        const page = await premiumGrants.list({ after: paged.at(-1) ?? null, limit })
        expect(page.length).toBeLessThanOrEqual(limit)
        expect(paged.length + page.length).toBeLessThanOrEqual(all.length)
        if (page.length === 0) break
        paged.push(...page)
      }
      expect(paged).toEqual([...all])
    }
  })
})

/** In the order of their ids, because the port promises none. */
async function grantsOf(store: Store, email: Email): Promise<readonly PremiumGrant[]> {
  const grants = await store.premiumGrants.findByEmail(email)
  return grants.toSorted(byId)
}

async function save({ purchases }: Store, purchase: Purchase): Promise<void> {
  await purchases.update(purchase.email, ORIGIN, () => ({ purchase }))
}

async function report(
  store: Store,
  refunds: readonly Refund[],
  disputes: readonly Dispute[],
): Promise<void> {
  await store.refunds.update(refunds, ORIGIN, (_, reported) => reported)
  await store.disputes.update(disputes, ORIGIN, (_, reported) => reported)
}

function byId(left: { id: string }, right: { id: string }): number {
  return left.id < right.id ? -1 : 1
}
