import { describe, expect, test } from 'bun:test'
import { DISPUTE_STATES, type Dispute, mergeDispute } from '../../domain/dispute.ts'
import { NOON, ORIGIN } from '../support/fakes.ts'
import { ANNA, openPurchase, paidPurchase } from '../support/stores/contract-purchases.ts'
import { STORES } from '../support/stores/stores.ts'

const DISPUTE: Dispute = {
  id: 'du_1',
  paymentIntentId: 'pi_1',
  state: 'open',
  reportedAt: NOON,
}

describe.each(STORES)('DisputeRepository on %s', (_, open) => {
  test('knows nothing of a dispute that was never reported', async () => {
    const { disputes } = await open()

    expect(await disputes.findById('du_1')).toBeNull()
  })

  test.each(DISPUTE_STATES)('keeps every field of a dispute that is %s', async (state) => {
    const { disputes } = await open()
    const dispute = { ...DISPUTE, state }
    await disputes.update([DISPUTE], ORIGIN, () => dispute)

    expect(await disputes.findById('du_1')).toEqual(dispute)
    expect(await disputes.findById('du_2')).toBeNull()
  })

  test('keeps the latest state of a dispute, and shows the change what is known', async () => {
    const { disputes } = await open()
    const reportedAt = new Date(NOON.getTime() + 1)
    const verdict: Dispute = { ...DISPUTE, state: 'won', reportedAt }
    const seen: (Dispute | null)[] = []
    for (const dispute of [DISPUTE, verdict]) {
      await disputes.update([dispute], ORIGIN, (known, reported) => {
        seen.push(known)
        return reported
      })
    }

    expect(seen).toEqual([null, DISPUTE])
    expect(await disputes.findById('du_1')).toEqual(verdict)
  })

  test('changes several disputes at once, or none of them, and passes the error through', async () => {
    const { disputes } = await open()
    const second = { ...DISPUTE, id: 'du_2' }
    await disputes.update([DISPUTE, second], ORIGIN, mergeDispute)
    expect(await disputes.findById('du_2')).toEqual(second)

    const refusal = new Error('refused')
    const refused = disputes.update([DISPUTE, second], ORIGIN, (_known, reported) => {
      if (reported.id === 'du_2') throw refusal
      return { ...reported, state: 'lost' }
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await disputes.findById('du_1')).toEqual(DISPUTE)
  })

  test('says of how many reported disputes something was new', async () => {
    const { disputes } = await open()
    const second = { ...DISPUTE, id: 'du_2' }
    const lost = { ...second, state: 'lost' } as const

    expect(await disputes.update([], ORIGIN, mergeDispute)).toBe(0)
    expect(await disputes.update([DISPUTE, second], ORIGIN, mergeDispute)).toBe(2)
    expect(await disputes.update([DISPUTE, second], ORIGIN, mergeDispute)).toBe(0)
    expect(await disputes.update([DISPUTE, lost], ORIGIN, mergeDispute)).toBe(1)
    expect(await disputes.findById('du_2')).toEqual(lost)
  })

  test('loses none of 200 parallel updates', async () => {
    const { disputes } = await open()

    await Promise.all(
      Array.from({ length: 200 }, () =>
        disputes.update([DISPUTE], ORIGIN, (known) => ({
          ...DISPUTE,
          reportedAt: new Date((known?.reportedAt ?? NOON).getTime() + 1),
        })),
      ),
    )
    const dispute = await disputes.findById('du_1')
    expect(dispute?.reportedAt).toEqual(new Date(NOON.getTime() + 200))
  })

  test('names the payments of ours on which a dispute without a verdict hangs, each once', async () => {
    const { purchases, disputes } = await open()
    for (const state of DISPUTE_STATES) {
      await purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase(state) }))
    }
    const unpaid = openPurchase('unpaid', { state: 'processing', paymentIntentId: 'pi_unpaid' })
    await purchases.update(ANNA, ORIGIN, () => ({ purchase: unpaid }))
    const reported = [...DISPUTE_STATES, 'open' as const, 'won' as const].map((state, index) => ({
      ...DISPUTE,
      id: `du_${index}`,
      paymentIntentId: `pi_${state}`,
      state,
    }))
    const elsewhere = ['pi_unpaid', 'pi_foreign'].map((paymentIntentId) => ({
      ...DISPUTE,
      id: `du_${paymentIntentId}`,
      paymentIntentId,
    }))
    await disputes.update([...reported, ...elsewhere], ORIGIN, mergeDispute)

    const pending = await disputes.findPendingPayments()
    expect(pending.toSorted()).toEqual(['pi_inquiry', 'pi_open', 'pi_unpaid'])
  })
})
