import { expect, test } from 'bun:test'
import { measureReconciler } from '../../../application/reconciling/measure-reconciler.ts'
import { reconcilePayments } from '../../../application/reconciling/reconcile-payments.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { openBuyer } from '../../support/buyers.ts'
import { fakePorts } from '../../support/fakes.ts'

const RUNNING = new AbortController().signal

test('a service without open purchases is never behind', async () => {
  const ports = fakePorts()
  ports.clock.advance(DAY_MS)
  expect(await measureReconciler(ports)).toBe(0)
})

test('the reconciler is behind since the purchase was made, and once it was read, since then', async () => {
  const { ports, move } = await openBuyer()
  ports.clock.advance(MINUTE_MS)
  expect(await measureReconciler(ports)).toBe(MINUTE_MS)
  await reconcilePayments(ports, { only: 'due', stopping: RUNNING })
  expect(await measureReconciler(ports)).toBe(0)
  ports.clock.advance(MINUTE_MS)
  expect(await measureReconciler(ports)).toBe(MINUTE_MS)

  move('processing')
  ports.payments.outage = true
  await reconcilePayments(ports, { only: 'due', stopping: RUNNING })
  ports.clock.advance(HOUR_MS)
  expect(await measureReconciler(ports)).toBe(HOUR_MS + MINUTE_MS)

  ports.payments.outage = false
  move('paid')
  await reconcilePayments(ports, { only: 'due', stopping: RUNNING })
  expect(await measureReconciler(ports)).toBe(0)
})

test('a last run from the future, by a clock that was wrong, hides nothing', async () => {
  const { ports } = await openBuyer()
  await ports.sweeps.recordRun('open_purchases', new Date(ports.clock.now().getTime() + DAY_MS))
  ports.clock.advance(HOUR_MS)
  expect(await measureReconciler(ports)).toBe(HOUR_MS)
})
