import { describe, expect, test } from 'bun:test'
import type { DisputeRepository } from '../../application/ports.ts'
import { DISPUTE_STATES, type Dispute } from '../../domain/premium-grant.ts'
import { NOON } from '../fakes.ts'
import { STORES } from '../stores.ts'

const DISPUTE: Dispute = {
  id: 'du_1',
  paymentIntentId: 'pi_1',
  state: 'open',
  reportedAt: NOON,
}

describe.each(STORES)('DisputeRepository on %s', (_, open) => {
  test('knows nothing of a dispute that was never reported', async () => {
    const { disputes } = await open()

    expect(await read(disputes, 'du_1')).toBeNull()
  })

  test.each(DISPUTE_STATES)('keeps every field of a dispute that is %s', async (state) => {
    const { disputes } = await open()
    const dispute = { ...DISPUTE, state }
    await disputes.update('du_1', () => dispute)

    expect(await read(disputes, 'du_1')).toEqual(dispute)
    expect(await read(disputes, 'du_2')).toBeNull()
  })

  test('keeps the latest state of a dispute', async () => {
    const { disputes } = await open()
    const verdict: Dispute = {
      ...DISPUTE,
      state: 'won',
      reportedAt: new Date(NOON.getTime() + 1),
    }
    await disputes.update('du_1', () => DISPUTE)
    await disputes.update('du_1', () => verdict)

    expect(await read(disputes, 'du_1')).toEqual(verdict)
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { disputes } = await open()
    await disputes.update('du_1', () => DISPUTE)

    const refusal = new Error('refused')
    const refused = disputes.update('du_1', () => {
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await read(disputes, 'du_1')).toEqual(DISPUTE)
  })

  test('loses none of 200 parallel updates', async () => {
    const { disputes } = await open()

    await Promise.all(
      Array.from({ length: 200 }, () =>
        disputes.update('du_1', (known) => ({
          ...DISPUTE,
          reportedAt: new Date((known?.reportedAt ?? NOON).getTime() + 1),
        })),
      ),
    )
    expect((await read(disputes, 'du_1'))?.reportedAt).toEqual(new Date(NOON.getTime() + 200))
  })
})

/** Looks through a change that then refuses, so that looking stores nothing. */
async function read(disputes: DisputeRepository, id: string): Promise<Dispute | null> {
  const seen: (Dispute | null)[] = []
  const looked = disputes.update(id, (known) => {
    seen.push(known)
    throw new Error('only looking')
  })
  await expect(looked).rejects.toThrow('only looking')
  return seen[0]!
}
