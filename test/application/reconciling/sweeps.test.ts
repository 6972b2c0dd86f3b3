import { describe, expect, test } from 'bun:test'
import type { IsolatedStep } from '../../../application/reconciling/sweep-step.ts'
import { sweepObjects } from '../../../application/reconciling/sweeps.ts'
import { SWEEP_NAMES } from '../../../application/store.ts'
import { HOUR_MS } from '../../../domain/duration.ts'
import { openBuyer } from '../../support/buyers.ts'
import { fakePorts, NOON, ORIGIN } from '../../support/fakes.ts'

const BEGINNING = {
  since: NOON,
  place: { after: null },
  stopping: new AbortController().signal,
} as const

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
    await Array.fromAsync(sweepObjects(ports, name, { step, ...BEGINNING }))
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
  await Array.fromAsync(sweepObjects(ports, 'open_purchases', { step, ...BEGINNING }))
  const paymentIntentId = (await current())!.paymentIntentId!
  const refund = { id: 're_1', paymentIntentId, amount: 1, state: 'pending' } as const
  await ports.refunds.update([refund], ORIGIN, () => refund)
  ports.payments.refunds.push({ ...refund, state: 'succeeded' })
  ports.payments.findRefunds = async () => ({ items: [], unreadable: ['re_odd'], cursor: null })

  seen.length = 0
  await Array.fromAsync(sweepObjects(ports, 'refunds', { step, ...BEGINNING }))
  expect(seen).toEqual([
    ['re_odd', 'an object of the provider that makes no sense'],
    [paymentIntentId, 1],
  ])
})

describe('a refund or a dispute of a payment that no purchase here has', () => {
  const payment = { paymentIntentId: 'pi_of_another_shop' }
  const refund = { id: 're_1', ...payment, amount: 1, state: 'succeeded' } as const
  const dispute = { id: 'du_1', ...payment, state: 'open', reportedAt: NOON } as const
  const event = { eventType: 'of its kind', occurredAt: NOON }

  /** The lists of a provider that has told of both, made at noon. */
  function listBoth(ports: ReturnType<typeof fakePorts>) {
    const page = <Item>(items: readonly Item[]) => ({ items, unreadable: [], cursor: null })
    ports.payments.findRefunds = async () => page([{ ...refund, createdAt: NOON }])
    ports.payments.findDisputes = async () => page([{ ...dispute, createdAt: NOON }])
    ports.payments.refunds.push({ ...refund, id: 're_3' })
    ports.payments.findUndeliveredNotifications = async () =>
      page([
        { kind: 'refund', eventId: 'evt_1', refund: { ...refund, id: 're_2' }, ...event },
        { kind: 'dispute', eventId: 'evt_2', dispute: { ...dispute, id: 'du_2' }, ...event },
        { kind: 'refund_hint', eventId: 'evt_3', ...payment, ...event },
      ])
  }

  async function sweepAll(ports: ReturnType<typeof fakePorts>) {
    const { step } = recordingStep()
    for (const name of SWEEP_NAMES) {
      await Array.fromAsync(sweepObjects(ports, name, { step, ...BEGINNING }))
    }
    const refunds = ['re_1', 're_2', 're_3'].map(ports.refunds.findById)
    const disputes = ['du_1', 'du_2'].map(ports.disputes.findById)
    return (await Promise.all([...refunds, ...disputes])).filter((fact) => fact !== null).length
  }

  test('is kept for 48 hours, and does not come back', async () => {
    const ports = fakePorts()
    listBoth(ports)
    ports.clock.advance(48 * HOUR_MS - 1)
    expect(await sweepAll(ports)).toBe(5)
    const upTo = ports.clock.now()
    expect(await ports.retention.prune('foreign_reversals', { upTo, limit: 10 })).toBe(1)
    ports.clock.advance(1)
    expect(await sweepAll(ports)).toBe(0)
  })

  test('is kept however old where a purchase has been open for as long', async () => {
    const { ports } = await openBuyer()
    listBoth(ports)
    ports.payments.readSession = async () => ports.payments.sessions.values().next().value ?? null
    ports.clock.advance(48 * HOUR_MS)
    expect(await sweepAll(ports)).toBe(5)
  })

  test('is kept however old where the payment is that of a purchase', async () => {
    const { ports, move, current } = await openBuyer()
    const moved = move('paid')
    ports.payments.sessions.set(moved.sessionId, { ...moved, ...payment })
    const { step } = recordingStep()
    await Array.fromAsync(sweepObjects(ports, 'open_purchases', { step, ...BEGINNING }))
    expect(await current()).toMatchObject(payment)
    listBoth(ports)
    ports.clock.advance(480 * HOUR_MS)
    expect(await sweepAll(ports)).toBe(5)
  })
})

test('a sweep begins no step once it has to stop, also where that is so when a page has come', async () => {
  const { ports, move, current } = await openBuyer()
  move('paid')
  const stopping = { aborted: false }
  const { seen, step } = recordingStep()
  const report = (await ports.payments.findCompletedSessions({ since: NOON, cursor: null })).items
  expect(report).toHaveLength(1)
  ports.payments.findCompletedSessions = async () => {
    // As with a process that was frozen meanwhile: no signal has told it so.
    stopping.aborted = true
    return { items: report, unreadable: [], cursor: null }
  }
  const sweep = { ...BEGINNING, step, stopping }
  await Array.fromAsync(sweepObjects(ports, 'completed_sessions', sweep))
  expect(seen).toEqual([])
  expect((await current())?.state).toBe('open')
})
