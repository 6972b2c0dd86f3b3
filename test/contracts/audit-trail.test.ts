import { describe, expect, test } from 'bun:test'
import type { Store } from '../../application/store.ts'
import { type Dispute, type DisputeState, mergeDispute } from '../../domain/dispute.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import { ACTORS, type GrantChange, type Origin } from '../../domain/grant-change.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import { acceptDuplicate, PURCHASE_STATES, type Purchase } from '../../domain/purchase.ts'
import { mergeRefund, type Refund } from '../../domain/refund.ts'
import { inState, NOON, ORIGIN } from '../support/fakes.ts'
import { ANNA, BERT, openPurchase, paidPurchase } from '../support/stores/contract-purchases.ts'
import { STORES } from '../support/stores/stores.ts'

const REFUND: Refund = { id: 're_1', paymentIntentId: 'pi_one', amount: 400, state: 'pending' }
const PAID = paidPurchase('one')

/** The first change, the second one, and so on, a minute apart. */
function origin(minute: number, own: Partial<Origin> = {}): Origin {
  return { at: new Date(NOON.getTime() + minute * MINUTE_MS), by: 'webhook', source: null, ...own }
}

function change(own: Partial<GrantChange>): GrantChange {
  return { grantId: 'one', email: ANNA, reason: 'paid', objectId: 'one', isActive: true, ...own }
}

describe.each(STORES)('AuditTrail on %s', (_, open) => {
  test('holds nothing about an address of which no grant ever changed', async () => {
    const store = await open()
    for (const state of PURCHASE_STATES.filter((one) => one !== 'paid')) {
      await save(store, inState(openPurchase(state), state))
    }

    expect(await entriesOf(store)).toEqual([])
  })

  test.each(ACTORS)('says of a change by the %s when it was and through what', async (by) => {
    const store = await open()
    await save(store, PAID, { at: NOON, by, source: 'evt_1' })
    await save(store, paidPurchase('two', { email: BERT }), { at: NOON, by, source: null })

    expect(await entriesOf(store)).toEqual([{ ...change({}), at: NOON, by, source: 'evt_1' }])
    expect(await store.auditTrail.findByEmail(BERT)).toMatchObject([
      { email: BERT, grantId: 'two', source: null },
    ])
  })

  test('tells the story of a purchase in the order in which it happened', async () => {
    const store = await open()
    await save(store, PAID, origin(0))
    await store.refunds.update([REFUND], origin(1), mergeRefund)
    await store.refunds.update([{ ...REFUND, state: 'succeeded' }], origin(2), mergeRefund)
    await store.refunds.update([{ ...REFUND, state: 'failed' }], origin(3), mergeRefund)
    await store.disputes.update([dispute('inquiry', 4)], origin(4), mergeDispute)
    await store.disputes.update([dispute('open', 5)], origin(5), mergeDispute)
    await store.disputes.update([dispute('won', 6)], origin(6), mergeDispute)
    await store.disputes.update([dispute('lost', 7)], origin(7), mergeDispute)
    await store.disputes.update([dispute('won', 8)], origin(8), mergeDispute)
    await store.premiumGrants.revokeAll(ANNA, origin(9))

    expect(await entriesOf(store)).toEqual(
      [
        change({}),
        change({ reason: 'refund_pending', objectId: 're_1', isActive: false }),
        change({ reason: 'refund_succeeded', objectId: 're_1', isActive: false }),
        change({ reason: 'refund_failed', objectId: 're_1' }),
        change({ reason: 'dispute_inquiry', objectId: 'du_1' }),
        change({ reason: 'dispute_open', objectId: 'du_1', isActive: false }),
        change({ reason: 'dispute_won', objectId: 'du_1' }),
        change({ reason: 'dispute_lost', objectId: 'du_1', isActive: false }),
        change({ reason: 'dispute_won', objectId: 'du_1' }),
        change({ reason: 'revoked', isActive: false }),
      ].map((one, minute) => ({ ...one, ...origin(minute) })),
    )
  })

  test('notes what an operator gives and takes, of each grant by itself', async () => {
    const store = await open()
    await store.premiumGrants.add({ id: 'by hand', email: ANNA }, origin(0))
    await save(store, PAID, origin(1))
    await store.premiumGrants.revokeAll(ANNA, origin(2))
    await store.premiumGrants.add({ id: 'by hand again', email: ANNA }, origin(3))

    const entries = await entriesOf(store)
    expect(entries.map(({ reason, at }) => [reason, at])).toEqual([
      ['granted', origin(0).at],
      ['paid', origin(1).at],
      ['revoked', origin(2).at],
      ['revoked', origin(2).at],
      ['granted', origin(3).at],
    ])
    const revoked = entries.filter(({ reason }) => reason === 'revoked')
    expect(revoked.map(({ objectId }) => objectId).toSorted()).toEqual(['by hand', 'one'])
    expect(revoked.map(({ isActive }) => isActive)).toEqual([false, false])
  })

  test('notes facts that were known before the payment together with it, none before', async () => {
    const store = await open()
    await store.refunds.update([REFUND], origin(0), mergeRefund)
    await save(store, openPurchase('one', { state: 'processing', paymentIntentId: 'pi_one' }))
    await store.disputes.update([dispute('open', 1)], origin(1), mergeDispute)
    expect(await entriesOf(store)).toEqual([])

    await save(store, PAID, origin(2))
    const entries = await entriesOf(store)
    expect(entries.map(({ reason, isActive, at }) => [reason, isActive, at])).toEqual([
      ['paid', false, origin(2).at],
      ['refund_pending', false, origin(2).at],
      ['dispute_open', false, origin(2).at],
    ])
  })

  test('notes nothing that was known already', async () => {
    const store = await open()
    await save(store, PAID)
    await store.refunds.update([REFUND], ORIGIN, mergeRefund)
    await store.disputes.update([dispute('open', 1)], ORIGIN, mergeDispute)
    await store.premiumGrants.revokeAll(ANNA, ORIGIN)
    const before = await entriesOf(store)
    expect(before).toHaveLength(4)

    await store.purchases.update(ANNA, origin(9), ({ purchases }) => ({ purchase: purchases[0]! }))
    await store.purchases.update(ANNA, origin(9), ({ purchases }) => ({
      purchase: { ...purchases[0]! },
    }))
    await store.refunds.update([REFUND, REFUND], origin(9), mergeRefund)
    await store.refunds.update([REFUND], origin(9), (_known, reported) => ({ ...reported }))
    await store.disputes.update([dispute('inquiry', 2)], origin(9), mergeDispute)
    await store.premiumGrants.revokeAll(ANNA, origin(9))
    expect(await entriesOf(store)).toEqual(before)
  })

  test('notes nothing about money that is not ours, nor about what changes no grant', async () => {
    const store = await open()
    await save(store, { ...PAID, isDuplicate: true } as Purchase)
    await store.refunds.update([{ ...REFUND, paymentIntentId: 'pi_other' }], ORIGIN, mergeRefund)
    await store.disputes.update(
      [{ ...dispute('lost', 1), paymentIntentId: 'pi_other' }],
      ORIGIN,
      mergeDispute,
    )
    await store.purchases.update(ANNA, ORIGIN, ({ purchases }) => ({
      purchase: acceptDuplicate(purchases[0]!),
    }))

    const entries = await entriesOf(store)
    expect(entries.map(({ reason }) => reason)).toEqual(['paid'])
  })

  test('notes the facts of one report under the address of each payment', async () => {
    const store = await open()
    await save(store, PAID)
    await save(store, paidPurchase('two', { email: BERT }))
    const berts: Refund = { ...REFUND, id: 're_2', paymentIntentId: 'pi_two', amount: 1 }
    const annas: Refund = { ...REFUND, id: 're_3', amount: 1 }
    await store.refunds.update([REFUND, berts, annas], origin(1), mergeRefund)

    const refundsOf = async (email: Email) =>
      (await store.auditTrail.findByEmail(email))
        .filter(({ reason }) => reason === 'refund_pending')
        .map(({ objectId, isActive }) => [objectId, isActive] as const)
        .toSorted()
    expect(await refundsOf(ANNA)).toEqual([
      ['re_1', false],
      ['re_3', false],
    ])
    expect(await refundsOf(BERT)).toEqual([['re_2', true]])
  })

  test('notes nothing of a change that was refused', async () => {
    const store = await open()
    await save(store, PAID)
    const second: Refund = { ...REFUND, id: 're_2' }
    const refused = store.refunds.update([REFUND, second], ORIGIN, (_known, reported) => {
      if (reported.id === 're_2') throw new Error('refused')
      return reported
    })
    await expect(refused).rejects.toThrow('refused')
    const stolen = save(store, paidPurchase('two', { sessionId: PAID.sessionId }))
    await expect(stolen).rejects.toThrow(
      /one session under two purchases|UNIQUE constraint failed: purchases.session_id|purchases_session_id_key/,
    )

    expect(await entriesOf(store)).toHaveLength(1)
  })

  test('says in its last entry about each grant whether it gives premium now', async () => {
    const store = await open()
    await save(store, PAID)
    await save(store, paidPurchase('two'))
    await store.refunds.update([REFUND], ORIGIN, mergeRefund)
    await store.disputes.update(
      [{ ...dispute('open', 1), paymentIntentId: 'pi_two' }],
      ORIGIN,
      mergeDispute,
    )
    await store.refunds.update([{ ...REFUND, state: 'failed' }], ORIGIN, mergeRefund)

    const last = new Map((await entriesOf(store)).map((entry) => [entry.grantId, entry.isActive]))
    expect(last).toEqual(
      new Map([
        ['one', true],
        ['two', false],
      ]),
    )
    expect(hasPremium(await store.premiumGrants.findByEmail(ANNA))).toBe(true)
  })
})

function dispute(state: DisputeState, minute: number): Dispute {
  return { id: 'du_1', paymentIntentId: 'pi_one', state, reportedAt: origin(minute).at }
}

async function entriesOf({ auditTrail }: Store) {
  return auditTrail.findByEmail(ANNA)
}

async function save({ purchases }: Store, purchase: Purchase, by: Origin = ORIGIN): Promise<void> {
  await purchases.update(purchase.email, by, () => ({ purchase }))
}
