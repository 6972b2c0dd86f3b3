import { expect, test } from 'bun:test'
import type { IsolatedStep } from '../../../application/payments/sweep-step.ts'
import { sweepObjects } from '../../../application/payments/sweeps.ts'
import { SWEEP_NAMES } from '../../../application/store.ts'
import { openBuyer } from '../../support/buyers.ts'
import { NOON, ORIGIN } from '../../support/fakes.ts'

/** A step that notes its object and what came of it. */
function recordingStep() {
  const seen: [object: string, changes: number | string][] = []
  const step: IsolatedStep = async (object, look) => {
    const result = await look().catch((error: Error) => error.message)
    seen.push([object, result])
    return { checked: 1, repaired: 0, failed: 0 }
  }
  return { seen, step }
}

test('every sweep looks at what the provider lists, and says what changed', async () => {
  const { ports, move, purchaseId, current } = await openBuyer()
  move('paid')
  const { sessionId } = (await current())!
  const { seen, step } = recordingStep()
  for (const name of SWEEP_NAMES) {
    await Array.fromAsync(sweepObjects(ports, name, { step, since: NOON }))
  }
  expect(seen).toEqual([
    [purchaseId, 1],
    [sessionId!, 0],
  ])
})

test('a sweep names the objects that it cannot read, and reads pending payments however old', async () => {
  const { ports, move, current } = await openBuyer()
  move('paid')
  const { seen, step } = recordingStep()
  await Array.fromAsync(sweepObjects(ports, 'open_purchases', { step, since: NOON }))
  const paymentIntentId = (await current())!.paymentIntentId!
  const refund = { id: 're_1', paymentIntentId, amount: 1, state: 'pending' } as const
  await ports.refunds.update([refund], ORIGIN, () => refund)
  ports.payments.refunds.push({ ...refund, state: 'succeeded' })
  ports.payments.findRefunds = async () => ({ items: [], unreadable: ['re_odd'], cursor: null })

  seen.length = 0
  await Array.fromAsync(sweepObjects(ports, 'refunds', { step, since: NOON }))
  expect(seen).toEqual([
    ['re_odd', 'an object of the provider that makes no sense'],
    [paymentIntentId, 1],
  ])
})
