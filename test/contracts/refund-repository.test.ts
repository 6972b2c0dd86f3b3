import { describe, expect, test } from 'bun:test'
import type { RefundRepository } from '../../application/ports.ts'
import { REFUND_STATES, type Refund } from '../../domain/premium-grant.ts'
import { STORES } from '../stores.ts'

const REFUND: Refund = { id: 're_1', paymentIntentId: 'pi_1', amount: 150, state: 'pending' }

describe.each(STORES)('RefundRepository on %s', (_, open) => {
  test('knows nothing of a refund that was never reported', async () => {
    const { refunds } = await open()

    expect(await read(refunds, 're_1')).toBeNull()
  })

  test.each(REFUND_STATES)('keeps every field of a refund that is %s', async (state) => {
    const { refunds } = await open()
    const refund = { ...REFUND, state }
    await refunds.update([{ id: 're_1' }], () => refund)

    expect(await read(refunds, 're_1')).toEqual(refund)
    expect(await read(refunds, 're_2')).toBeNull()
  })

  test('keeps the latest state of a refund', async () => {
    const { refunds } = await open()
    await refunds.update([{ id: 're_1' }], () => REFUND)
    await refunds.update([{ id: 're_1' }], () => ({ ...REFUND, amount: 200, state: 'failed' }))

    expect(await read(refunds, 're_1')).toEqual({ ...REFUND, amount: 200, state: 'failed' })
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { refunds } = await open()
    await refunds.update([{ id: 're_1' }], () => REFUND)

    const refusal = new Error('refused')
    const refused = refunds.update([{ id: 're_1' }], () => {
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await read(refunds, 're_1')).toEqual(REFUND)
  })

  test('changes several refunds at once, or none of them', async () => {
    const { refunds } = await open()
    const second = { ...REFUND, id: 're_2', amount: 50 }
    await refunds.update([REFUND, second], (known, reported) => known ?? reported)
    expect(await read(refunds, 're_1')).toEqual(REFUND)
    expect(await read(refunds, 're_2')).toEqual(second)

    const refused = refunds.update([REFUND, second], (_, reported) => {
      if (reported.id === 're_2') throw new Error('refused')
      return { ...reported, state: 'failed' }
    })
    await expect(refused).rejects.toThrow('refused')
    expect(await read(refunds, 're_1')).toEqual(REFUND)
  })

  test('loses none of 200 parallel updates', async () => {
    const { refunds } = await open()

    await Promise.all(
      Array.from({ length: 200 }, () =>
        refunds.update([{ id: 're_1' }], (known) => ({
          ...REFUND,
          amount: (known?.amount ?? 0) + 1,
        })),
      ),
    )
    expect(await read(refunds, 're_1')).toEqual({ ...REFUND, amount: 200 })
  })
})

/** Looks through a change that then refuses, so that looking stores nothing. */
async function read(refunds: RefundRepository, id: string): Promise<Refund | null> {
  const seen: (Refund | null)[] = []
  const looked = refunds.update([{ id }], (known) => {
    seen.push(known)
    throw new Error('only looking')
  })
  await expect(looked).rejects.toThrow('only looking')
  return seen[0]!
}
