import { expect, test } from 'bun:test'
import { checkPremium } from '../../../application/access/check-premium.ts'
import { dryRun } from '../../../application/reconciling/dry-run.ts'
import { reconcilePayments } from '../../../application/reconciling/reconcile-payments.ts'
import { openBuyer } from '../../support/buyers.ts'
import { ORIGIN } from '../../support/fakes.ts'
import { ANNA, paidPurchase } from '../../support/stores/contract-purchases.ts'

const RUN = { only: 'all', stopping: new AbortController().signal } as const

test('tells what a run would repair, and stores none of it', async () => {
  const { ports, move, current } = await openBuyer()
  move('paid')
  const other = paidPurchase('pur_other', { email: 'bert@example.com' as typeof ANNA })
  await ports.purchases.update(other.email, ORIGIN, () => ({ purchase: other }))
  ports.payments.refunds.push({
    id: 're_1',
    paymentIntentId: 'pi_pur_other',
    amount: 400,
    state: 'succeeded',
  })
  ports.payments.disputes.push({
    id: 'du_1',
    paymentIntentId: 'pi_pur_other',
    state: 'open',
    reportedAt: ports.clock.now(),
  })

  const repaired = (reports: Awaited<ReturnType<typeof reconcilePayments>>) =>
    reports.map((report) => [report.sweep, report.repaired])
  const told = repaired(await reconcilePayments(dryRun(ports), RUN))
  // The open purchase shows twice: nothing of the first sweep is stored when the second one looks.
  expect(told).toEqual([
    ['open_purchases', 1],
    ['completed_sessions', 1],
    ['undelivered_notifications', 0],
    ['refunds', 1],
    ['disputes', 1],
  ])

  expect(await current()).toMatchObject({ state: 'open' })
  expect(await checkPremium(ports, ANNA)).toBe(false)
  expect(await checkPremium(ports, other.email)).toBe(true)
  expect(await ports.auditTrail.findByEmail(ANNA)).toEqual([])
  expect(await ports.sweeps.findLastRun('refunds')).toBeNull()
  expect(ports.log.lines.length).toBeGreaterThan(0)
  for (const { fields } of ports.log.lines) expect(fields).toMatchObject({ dryRun: true })

  const done = repaired(await reconcilePayments(ports, RUN))
  expect(done).toEqual([
    ['open_purchases', 1],
    ['completed_sessions', 0],
    ['undelivered_notifications', 0],
    ['refunds', 1],
    ['disputes', 1],
  ])
  expect(await checkPremium(ports, other.email)).toBe(false)
})
