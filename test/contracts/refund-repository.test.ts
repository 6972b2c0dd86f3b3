import { describe, expect, test } from 'bun:test'
import { PURCHASE_STATES } from '../../domain/purchase.ts'
import { mergeRefund, REFUND_STATES, type Refund } from '../../domain/refund.ts'
import { inState, ORIGIN } from '../support/fakes.ts'
import { ANNA, BERT, openPurchase, paidPurchase } from '../support/stores/contract-purchases.ts'
import { STORES } from '../support/stores/stores.ts'

const REFUND: Refund = { id: 're_1', paymentIntentId: 'pi_1', amount: 150, state: 'pending' }

describe.each(STORES)('RefundRepository on %s', (_, open) => {
  test('knows nothing of a refund that was never reported', async () => {
    const { refunds } = await open()

    expect(await refunds.findById('re_1')).toBeNull()
  })

  test.each(REFUND_STATES)('keeps every field of a refund that is %s', async (state) => {
    const { refunds } = await open()
    const refund = { ...REFUND, state }
    await refunds.update([REFUND], ORIGIN, () => refund)

    expect(await refunds.findById('re_1')).toEqual(refund)
    expect(await refunds.findById('re_2')).toBeNull()
  })

  test('keeps the latest state of a refund, and shows the change what is known', async () => {
    const { refunds } = await open()
    const failed: Refund = { ...REFUND, amount: 200, state: 'failed' }
    const seen: (Refund | null)[] = []
    for (const refund of [REFUND, failed]) {
      await refunds.update([refund], ORIGIN, (known, reported) => {
        seen.push(known)
        return reported
      })
    }

    expect(seen).toEqual([null, REFUND])
    expect(await refunds.findById('re_1')).toEqual(failed)
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { refunds } = await open()
    await refunds.update([REFUND], ORIGIN, mergeRefund)

    const refusal = new Error('refused')
    const refused = refunds.update([REFUND], ORIGIN, () => {
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await refunds.findById('re_1')).toEqual(REFUND)
  })

  test('changes several refunds at once, or none of them', async () => {
    const { refunds } = await open()
    const second = { ...REFUND, id: 're_2', amount: 50 }
    await refunds.update([REFUND, second], ORIGIN, mergeRefund)
    expect(await refunds.findById('re_1')).toEqual(REFUND)
    expect(await refunds.findById('re_2')).toEqual(second)

    const refused = refunds.update([REFUND, second], ORIGIN, (_known, reported) => {
      if (reported.id === 're_2') throw new Error('refused')
      return { ...reported, state: 'failed' }
    })
    await expect(refused).rejects.toThrow('refused')
    expect(await refunds.findById('re_1')).toEqual(REFUND)
  })

  test('says of how many reported refunds something was new', async () => {
    const { refunds } = await open()
    const second = { ...REFUND, id: 're_2' }
    const succeeded = { ...second, state: 'succeeded' } as const

    expect(await refunds.update([], ORIGIN, mergeRefund)).toBe(0)
    expect(await refunds.update([REFUND, second], ORIGIN, mergeRefund)).toBe(2)
    expect(await refunds.update([REFUND, second], ORIGIN, mergeRefund)).toBe(0)
    expect(await refunds.update([REFUND, succeeded], ORIGIN, mergeRefund)).toBe(1)
    expect(await refunds.findById('re_2')).toEqual(succeeded)
  })

  test('takes into account what it has just learnt when one refund is reported twice at once', async () => {
    const { refunds } = await open()
    const succeeded = { ...REFUND, state: 'succeeded' } as const

    expect(await refunds.update([succeeded, REFUND, succeeded], ORIGIN, mergeRefund)).toBe(1)
    expect(await refunds.findById('re_1')).toEqual(succeeded)
  })

  test('loses none of 200 parallel updates', async () => {
    const { refunds } = await open()

    await Promise.all(
      Array.from({ length: 200 }, () =>
        refunds.update([REFUND], ORIGIN, (known) => ({
          ...REFUND,
          amount: (known?.amount ?? 0) + 1,
        })),
      ),
    )
    expect(await refunds.findById('re_1')).toEqual({ ...REFUND, amount: 200 })
  })
})

describe.each(STORES)('the payments of which a refund is on its way, on %s', (_, open) => {
  const pending = (id: string, payment: string): Refund => ({
    ...REFUND,
    id,
    paymentIntentId: payment,
  })

  test('are those of purchases of ours, whatever their state, each once', async () => {
    const { purchases, refunds } = await open()
    for (const state of PURCHASE_STATES) {
      const purchase = openPurchase(state, { paymentIntentId: `pi_${state}` })
      await purchases.update(ANNA, ORIGIN, () => ({ purchase: inState(purchase, state) }))
    }
    await purchases.update(BERT, ORIGIN, () => ({
      purchase: paidPurchase('calm', { email: BERT, paymentIntentId: 'pi_calm' }),
    }))
    await refunds.update(
      [
        ...PURCHASE_STATES.map((state) => pending(`re_${state}`, `pi_${state}`)),
        pending('re_again', 'pi_paid'),
        pending('re_foreign', 'pi_foreign'),
      ],
      ORIGIN,
      mergeRefund,
    )

    const expected = PURCHASE_STATES.map((state) => `pi_${state}`)
    expect((await refunds.findPendingPayments()).toSorted()).toEqual(expected.toSorted())
  })

  test('are no longer those whose refunds have all arrived or bounced', async () => {
    const { purchases, refunds } = await open()
    for (const id of ['one', 'two', 'three']) {
      await purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase(id) }))
    }
    const reported = [
      pending('re_1', 'pi_one'),
      pending('re_2', 'pi_two'),
      pending('re_3', 'pi_three'),
      pending('re_4', 'pi_three'),
    ]
    await refunds.update(reported, ORIGIN, mergeRefund)
    expect(await refunds.findPendingPayments()).toHaveLength(3)

    const ended = reported.map((refund, index) => ({
      ...refund,
      state: (['succeeded', 'failed', 'failed', 'pending'] as const)[index]!,
    }))
    await refunds.update(ended, ORIGIN, mergeRefund)
    expect(await refunds.findPendingPayments()).toEqual(['pi_three'])
  })
})
