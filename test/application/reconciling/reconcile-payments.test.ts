import { describe, expect, test } from 'bun:test'
import { checkPremium } from '../../../application/access/check-premium.ts'
import {
  reconcilePayments,
  type SweepReport,
} from '../../../application/reconciling/reconcile-payments.ts'
import { SWEEP_NAMES } from '../../../application/store.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import { type FakePorts, openBuyer } from '../../support/buyers.ts'
import { fakePorts, ORIGIN } from '../../support/fakes.ts'
import { ANNA, openPurchase, paidPurchase } from '../../support/stores/contract-purchases.ts'
import { memoryStore } from '../../support/stores/memory-store.ts'

const RUNNING = new AbortController().signal

const due = (ports: FakePorts) => reconcilePayments(ports, { only: 'due', stopping: RUNNING })
const all = (ports: FakePorts, sinceMs = 0) =>
  reconcilePayments(ports, { only: 'all', sinceMs, stopping: RUNNING })
const repairs = (reports: readonly SweepReport[]) =>
  Object.fromEntries(reports.map(({ sweep, repaired }) => [sweep, repaired]))
const namesOf = (reports: readonly SweepReport[]) => reports.map(({ sweep }) => sweep)

describe('a payment without a notification', () => {
  test('gives premium within the next run, and the confirmation goes out', async () => {
    const { ports, move, purchaseId } = await openBuyer()
    move('paid')
    expect(repairs(await due(ports))).toMatchObject({ open_purchases: 1, completed_sessions: 0 })
    expect(await checkPremium(ports, ANNA)).toBe(true)
    expect(await ports.outbox.findByPurchase(purchaseId)).toMatchObject([
      { kind: 'payment_confirmed' },
    ])
    expect(await ports.auditTrail.findByEmail(ANNA)).toMatchObject([
      { by: 'reconciler', reason: 'paid', isActive: true },
    ])
    expect(repairs(await all(ports))).toEqual({
      open_purchases: 0,
      completed_sessions: 0,
      undelivered_notifications: 0,
      refunds: 0,
      disputes: 0,
    })
  })

  test('that takes days is asked about every minute, and ends either way', async () => {
    const late = await openBuyer()
    const { ports } = late
    const lost = await openBuyer({ ports, email: 'bert@example.com' as Email })
    late.move('processing')
    lost.move('processing')
    await due(ports)
    expect(await late.current()).toMatchObject({ state: 'processing' })
    late.move('paid')
    lost.move('failed')
    expect(repairs(await due(ports))).toMatchObject({ open_purchases: 2 })
    expect(await late.current()).toMatchObject({ state: 'paid' })
    expect(await lost.current()).toMatchObject({ state: 'closed' })
    expect(await ports.outbox.findByPurchase(lost.purchaseId)).toMatchObject([
      { kind: 'payment_failed' },
    ])
  })

  test('leaves a page that is still open, and closes one that expired', async () => {
    const { ports, move, current } = await openBuyer()
    expect(repairs(await due(ports))).toMatchObject({ open_purchases: 0 })
    expect(await current()).toMatchObject({ state: 'open' })
    move('expired')
    expect(repairs(await due(ports))).toMatchObject({ open_purchases: 1 })
    expect(await current()).toMatchObject({ state: 'closed' })
  })
})

describe('a purchase without a session', () => {
  test('is closed once it cannot have been paid, and not before', async () => {
    const ports = fakePorts()
    const purchase = openPurchase('pur_one')
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase }))
    await due(ports)
    expect(await ports.purchases.findById(purchase.id)).toMatchObject({ state: 'open' })
    ports.clock.advance(33 * MINUTE_MS)
    expect(repairs(await due(ports))).toMatchObject({ open_purchases: 1 })
    expect(await ports.purchases.findById(purchase.id)).toMatchObject({ state: 'closed' })
  })
})

describe('a purchase whose session the provider does not know: the key may be another account’s', () => {
  test('is given up once it can no longer be paid, and counts all the same when it was paid', async () => {
    const { ports, current, sessionId, move } = await openBuyer()
    const paid = move('paid')
    ports.payments.sessions.delete(sessionId)
    expect(repairs(await due(ports))).toMatchObject({ open_purchases: 0 })
    expect(await current()).toMatchObject({ state: 'open' })
    ports.clock.advance(33 * MINUTE_MS)
    expect(repairs(await due(ports))).toMatchObject({ open_purchases: 1 })
    expect(await current()).toMatchObject({ state: 'closed' })

    ports.payments.sessions.set(sessionId, paid)
    ports.clock.advance(HOUR_MS)
    expect(repairs(await due(ports))).toMatchObject({ completed_sessions: 1 })
    expect(await checkPremium(ports, ANNA)).toBe(true)
  })

  test('stays open for 30 days while its money may be on its way, and is then logged for an operator', async () => {
    const { ports, current, sessionId, move } = await openBuyer()
    move('processing')
    await due(ports)
    ports.payments.sessions.delete(sessionId)
    ports.clock.advance(30 * DAY_MS)
    await due(ports)
    expect(await current()).toMatchObject({ state: 'processing' })
    ports.clock.advance(1)
    await due(ports)
    expect(await current()).toMatchObject({ state: 'closed' })
    const alarms = ports.log.lines.filter(({ level }) => level === 'error')
    expect(alarms).toMatchObject([{ fields: { session: sessionId } }])
  })
})

describe('a database that was restored from before the purchases', () => {
  test('regains every paid one, with what was given back of it, over many pages', async () => {
    const before = fakePorts()
    const buyers: Awaited<ReturnType<typeof openBuyer>>[] = []
    for (let index = 0; index < 25; index++) {
      const email = `buyer${index}@example.com` as Email
      buyers.push(await openBuyer({ ports: before, email }))
    }
    for (const buyer of buyers) buyer.move('paid')
    const { payments } = before
    const [refunded, charged] = buyers
    payments.refunds.push({
      id: 're_1',
      paymentIntentId: refunded!.paymentIntentId,
      amount: 400,
      state: 'succeeded',
    })
    payments.disputes.push({
      id: 'du_1',
      paymentIntentId: charged!.paymentIntentId,
      state: 'open',
      reportedAt: before.clock.now(),
    })
    payments.pageSize = 7

    const after = { ...before, ...memoryStore() }
    expect(repairs(await due(after))).toMatchObject({ completed_sessions: 25 })
    for (const buyer of buyers) {
      const isKept = buyer !== refunded && buyer !== charged
      expect([buyer.email, await checkPremium(after, buyer.email)]).toEqual([buyer.email, isKept])
    }
    expect(repairs(await all(after))).toMatchObject({ completed_sessions: 0, refunds: 0 })
  })

  test('looks back as far as the backup is old', async () => {
    const { ports, move } = await openBuyer()
    move('paid')
    ports.clock.advance(20 * DAY_MS)
    await ports.sweeps.recordRun(
      'completed_sessions',
      new Date(ports.clock.now().getTime() - 21 * DAY_MS),
    )
    const lost = { ...ports, ...memoryStore(), sweeps: ports.sweeps }
    expect(repairs(await due(lost))).toMatchObject({ completed_sessions: 1 })
    expect(await checkPremium(lost, ANNA)).toBe(true)
  })

  test('looks back as far as the operator says', async () => {
    const { ports, move } = await openBuyer()
    move('paid')
    ports.clock.advance(20 * DAY_MS)
    const lost = { ...ports, ...memoryStore() }
    expect(repairs(await all(lost))).toMatchObject({ completed_sessions: 0 })
    expect(repairs(await all(lost, 30 * DAY_MS))).toMatchObject({ completed_sessions: 1 })
  })

  test('sends no mail again that the provider may have forgotten', async () => {
    const { ports, move, purchaseId } = await openBuyer()
    move('paid')
    ports.clock.advance(25 * HOUR_MS)
    const late = { ...ports, ...memoryStore() }
    await due(late)
    expect(await checkPremium(late, ANNA)).toBe(true)
    expect(await late.outbox.findByPurchase(purchaseId)).toEqual([])
  })

  test('takes no session of another service for its own', async () => {
    const { ports, move, sessionId } = await openBuyer()
    ports.payments.sessions.set(sessionId, { ...move('paid'), order: null })
    const lost = { ...ports, ...memoryStore() }
    expect(repairs(await due(lost))).toMatchObject({ completed_sessions: 0 })
    expect(await checkPremium(lost, ANNA)).toBe(false)
  })
})

describe('a notification that never arrived', () => {
  test('gives premium within the next run', async () => {
    const { ports, move, notification } = await openBuyer()
    move('paid')
    ports.payments.undelivered.push(notification())
    const lost = { ...ports, ...memoryStore(), payments: ports.payments }
    lost.payments.findCompletedSessions = async () => ({ items: [], unreadable: [], cursor: null })
    expect(repairs(await due(lost))).toMatchObject({ undelivered_notifications: 1 })
    expect(await checkPremium(lost, ANNA)).toBe(true)
  })
})

describe('a refund or dispute without a notification', () => {
  const PAID = paidPurchase('pur_one')

  async function openPaid() {
    const ports = fakePorts()
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase: PAID }))
    return ports
  }
  const refund = (state: 'pending' | 'failed') =>
    ({ id: 're_1', paymentIntentId: 'pi_pur_one', amount: 400, state }) as const

  test('takes premium away, and gives it back when the refund bounces weeks later', async () => {
    const ports = await openPaid()
    ports.payments.refunds.push(refund('pending'))
    expect(repairs(await due(ports))).toMatchObject({ refunds: 1 })
    expect(await checkPremium(ports, ANNA)).toBe(false)

    // By then the list of the last eight days no longer has it.
    ports.payments.findRefunds = async () => ({ items: [], unreadable: [], cursor: null })
    ports.payments.refunds[0] = refund('failed')
    ports.clock.advance(20 * DAY_MS)
    expect(repairs(await due(ports))).toMatchObject({ refunds: 1 })
    expect(await checkPremium(ports, ANNA)).toBe(true)
  })

  test('is a change once: a dispute that is read again and again repairs nothing', async () => {
    const ports = await openPaid()
    const read = () => ({
      id: 'du_1',
      paymentIntentId: 'pi_pur_one',
      state: 'open' as const,
      reportedAt: ports.clock.now(),
    })
    ports.payments.disputes.push(read())
    expect(repairs(await all(ports))).toMatchObject({ disputes: 1 })
    ports.clock.advance(DAY_MS)
    ports.payments.disputes[0] = read()
    expect(repairs(await all(ports))).toMatchObject({ disputes: 0 })
  })

  test('of a bank that takes months is followed to its verdict', async () => {
    const ports = await openPaid()
    const dispute = (state: 'open' | 'won') => ({
      id: 'du_1',
      paymentIntentId: 'pi_pur_one',
      state,
      reportedAt: ports.clock.now(),
    })
    ports.payments.disputes.push(dispute('open'))
    expect(repairs(await due(ports))).toMatchObject({ disputes: 1 })
    expect(await checkPremium(ports, ANNA)).toBe(false)

    ports.payments.findDisputes = async () => ({ items: [], unreadable: [], cursor: null })
    ports.clock.advance(60 * DAY_MS)
    ports.payments.disputes[0] = dispute('won')
    expect(repairs(await due(ports))).toMatchObject({ disputes: 1 })
    expect(await checkPremium(ports, ANNA)).toBe(true)
  })
})

describe('the sweeps', () => {
  test('are due every minute, every hour and every day, also over a restart', async () => {
    const ports = fakePorts()
    expect(namesOf(await due(ports))).toEqual([...SWEEP_NAMES])
    expect(namesOf(await due({ ...ports }))).toEqual(['open_purchases'])
    ports.clock.advance(HOUR_MS - 1)
    expect(namesOf(await due(ports))).toEqual(['open_purchases'])
    ports.clock.advance(1)
    expect(namesOf(await due(ports))).toEqual([
      'open_purchases',
      'completed_sessions',
      'undelivered_notifications',
    ])
    ports.clock.advance(DAY_MS)
    expect(namesOf(await due(ports))).toEqual([...SWEEP_NAMES])
  })

  test('look back 48 hours and 8 days before the last one began', async () => {
    const ports = fakePorts()
    const first = ports.clock.now().getTime()
    await due(ports)
    ports.clock.advance(3 * DAY_MS)
    await due(ports)
    const since = ports.payments.windows.map(({ list, since }) => [list, first - since.getTime()])
    const expected = [
      ['findCompletedSessions', 2 * DAY_MS],
      ['findUndeliveredNotifications', 2 * DAY_MS],
      ['findRefunds', 8 * DAY_MS],
      ['findDisputes', 8 * DAY_MS],
    ]
    expect(since).toEqual([...expected, ...expected])
  })

  test('note when a whole reading of open purchases began, and where none is open nothing', async () => {
    const { ports, move } = await openBuyer()
    const lastRun = () => ports.sweeps.findLastRun('open_purchases')
    ports.payments.outage = true
    await due(ports)
    expect(await lastRun()).toBeNull()
    ports.payments.outage = false
    const began = ports.clock.now()
    move('paid')
    await due(ports)
    expect(await lastRun()).toEqual(began)
    ports.clock.advance(MINUTE_MS)
    await due(ports)
    expect(await lastRun()).toEqual(began)
  })

  test('say so when there is more to ask about than a minute has room for', async () => {
    const { ports } = await openBuyer()
    const { readSession } = ports.payments
    let tookMs = MINUTE_MS
    ports.payments.readSession = async (sessionId) => {
      ports.clock.advance(tookMs)
      return readSession(sessionId)
    }
    const warnings = () => ports.log.lines.filter(({ event }) => event === 'reconcile.behind')
    await due(ports)
    expect(warnings()).toEqual([])
    tookMs = 90 * 1000
    await due(ports)
    expect(warnings()).toMatchObject([
      { level: 'warn', fields: { sweep: 'open_purchases', checked: 1, seconds: 90 } },
    ])
  })

  test('are due again when the clock was set back', async () => {
    const ports = fakePorts()
    await due(ports)
    ports.clock.advance(-2 * DAY_MS)
    expect(namesOf(await due(ports))).toEqual([...SWEEP_NAMES])
  })

  test('run at once when an operator asks, and tell how far they are', async () => {
    const { ports, move } = await openBuyer()
    move('paid')
    await due(ports)
    const told: string[] = []
    const reports = await reconcilePayments(ports, {
      only: 'all',
      stopping: RUNNING,
      onProgress: ({ sweep, checked }) => told.push(`${sweep} ${checked}`),
    })
    expect(namesOf(reports)).toEqual([...SWEEP_NAMES])
    expect(reports.every(({ finished }) => finished)).toBe(true)
    expect(told).toContain('completed_sessions 1')
  })
})

describe('a run goes on', () => {
  test('past objects that make no sense, and says which', async () => {
    const ports = fakePorts()
    const good = await openBuyer({ ports })
    good.move('paid')
    ports.payments.unreadable.sessions.push('cs_odd')
    const lost = { ...ports, ...memoryStore() }
    const reports = await due(lost)
    expect(reports.find(({ sweep }) => sweep === 'completed_sessions')).toEqual({
      sweep: 'completed_sessions',
      checked: 2,
      repaired: 1,
      failed: 1,
      finished: true,
    })
    expect(lost.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fields: expect.objectContaining({ object: 'cs_odd' }),
      }),
    )
    expect(namesOf(await due(lost))).toEqual(['open_purchases'])
  })

  test('past a purchase that cannot be read', async () => {
    const ports = fakePorts()
    const buyers: Awaited<ReturnType<typeof openBuyer>>[] = []
    for (const name of ['anna', 'bert', 'cleo']) {
      const buyer = await openBuyer({ ports, email: `${name}@example.com` as Email })
      buyer.move('paid')
      buyers.push(buyer)
    }
    // What makes no sense is left out of the list, and is then asked for by itself.
    const { findSessions, readSession } = ports.payments
    ports.payments.findSessions = async (window) => {
      const { items, ...page } = await findSessions(window)
      const odd = buyers[1]!.sessionId
      return { ...page, items: items.filter(({ sessionId }) => sessionId !== odd) }
    }
    ports.payments.readSession = async (sessionId) => {
      if (sessionId === buyers[1]!.sessionId) throw new Error('a session of status lost')
      return readSession(sessionId)
    }
    const [report] = await due(ports)
    expect(report).toMatchObject({ checked: 3, repaired: 2, failed: 1, finished: true })
  })

  test('with the next sweep where one fails, which is due again', async () => {
    const ports = fakePorts()
    ports.payments.findRefunds = async () => {
      throw new Unavailable('payment', { cause: new Error('500'), answered: true })
    }
    const reports = await due(ports)
    expect(reports.map(({ sweep, finished }) => [sweep, finished])).toEqual([
      ['open_purchases', true],
      ['completed_sessions', true],
      ['undelivered_notifications', true],
      ['refunds', false],
      ['disputes', true],
    ])
    expect(namesOf(await due(ports))).toEqual(['open_purchases', 'refunds'])
  })

  test('past a list that repeats a page, which is not taken for read', async () => {
    const ports = fakePorts()
    ports.payments.findRefunds = async () => ({ items: [], unreadable: [], cursor: 're_1' })
    const reports = await due(ports)
    expect(reports.find(({ sweep }) => sweep === 'refunds')).toMatchObject({ finished: false })
    expect(reports.find(({ sweep }) => sweep === 'disputes')).toMatchObject({ finished: true })
  })

  test('past a lost purchase that Stripe stumbles over, and comes back to it', async () => {
    const { ports, move, email } = await openBuyer()
    move('paid')
    const lost = { ...ports, ...memoryStore() }
    const { listRefunds } = lost.payments
    lost.payments.listRefunds = async () => {
      throw new Unavailable('payment', { cause: new Error('500'), answered: true })
    }
    lost.clock.advance(3 * DAY_MS)
    const backup = new Date(lost.clock.now().getTime() - 3 * DAY_MS)
    await lost.sweeps.recordRun('completed_sessions', backup)
    const sweepOf = async () =>
      (await due(lost)).find(({ sweep }) => sweep === 'completed_sessions')
    expect(await sweepOf()).toMatchObject({ failed: 1, finished: false })
    expect(await lost.sweeps.findLastRun('completed_sessions')).toEqual(backup)

    lost.payments.listRefunds = listRefunds
    expect(await sweepOf()).toMatchObject({ repaired: 1, finished: true })
    expect(await checkPremium(lost, email)).toBe(true)
  })

  test('until it has to stop, after the object under way', async () => {
    const ports = fakePorts()
    const buyer = await openBuyer({ ports })
    await openBuyer({ ports, email: 'bert@example.com' as Email })
    buyer.move('paid')
    const stop = new AbortController()
    const reports = await reconcilePayments(ports, {
      only: 'due',
      stopping: stop.signal,
      onProgress: () => stop.abort(),
    })
    expect(reports).toEqual([
      { sweep: 'open_purchases', checked: 1, repaired: 1, failed: 0, finished: false },
    ])
  })
})

test('a key that may not read one kind of record reads the others', async () => {
  const ports = fakePorts()
  ports.payments.findUndeliveredNotifications = async () => {
    throw new Unavailable('payment', { cause: new Error('403'), setting: 'KEY' })
  }
  const unfinished = (await due(ports)).filter(({ finished }) => !finished)
  expect(namesOf(unfinished)).toEqual(['undelivered_notifications'])
  expect(namesOf(await due(ports))).toEqual(['open_purchases', 'undelivered_notifications'])
})

test('a database that does not answer ends the run', async () => {
  const ports = fakePorts()
  ports.purchases.list = async () => {
    throw new Unavailable('storage', { cause: new Error('locked') })
  }
  expect(await due(ports)).toMatchObject([{ sweep: 'open_purchases', finished: false }])
})

test('a key that is refused is one alarm for each sweep, not one for each purchase', async () => {
  const ports = fakePorts()
  for (const name of ['anna', 'bert', 'cleo']) {
    await openBuyer({ ports, email: `${name}@example.com` as Email })
  }
  Object.assign(ports.payments, { outage: true, answered: true, setting: 'KEY' })
  const reports = await due(ports)
  expect(reports.every(({ finished }) => !finished)).toBe(true)
  const alarms = ports.log.lines.filter(({ level }) => level === 'error')
  expect(alarms.map(({ fields }) => fields['sweep'])).toEqual([...SWEEP_NAMES])

  Object.assign(ports.payments, { outage: false })
  expect(namesOf(await due(ports))).toEqual([...SWEEP_NAMES])
})
