import type { Cause } from '../../domain/grant-change.ts'
import {
  closePurchase,
  isForgotten,
  type Purchase,
  type SessionReport,
} from '../../domain/purchase.ts'
import { logFailure } from '../error-report.ts'
import type { ListPage, ListWindow, Ports } from '../ports.ts'
import { SWEEP_NAMES, type SweepName } from '../store.ts'
import { applyDisputes, applyRefunds, readReversals } from './apply-reversals.ts'
import { eachPurchase } from './list-purchases.ts'
import { causeOf, type SettleDependencies, settlePayment, settleSession } from './settle-payment.ts'
import { type CarefulStep, carefulSteps, isStorageOutage, type Tally } from './sweep-step.ts'

export type ReconcileDependencies = SettleDependencies & Pick<Ports, 'sweeps'>

export type SweepReport = Tally & {
  readonly sweep: SweepName
  /** False when an outage ended it early or hid an object from it; what it missed, the next one sees. */
  readonly finished: boolean
}

type Sweep = {
  /** 0: at every run, so that no time is kept. */
  readonly everyMs: number
  /** How far back it looks before the last one began. */
  readonly windowMs: number
  steps(ports: ReconcileDependencies, step: CarefulStep, since: Date): AsyncGenerator<Tally>
}

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

const SWEEPS: Readonly<Record<SweepName, Sweep>> = {
  open_purchases: { everyMs: 0, windowMs: 0, steps: sweepOpenPurchases },
  completed_sessions: { everyMs: HOUR_MS, windowMs: 2 * DAY_MS, steps: sweepSessions },
  undelivered_notifications: { everyMs: HOUR_MS, windowMs: 2 * DAY_MS, steps: sweepNotifications },
  refunds: { everyMs: DAY_MS, windowMs: 8 * DAY_MS, steps: sweepRefunds },
  disputes: { everyMs: DAY_MS, windowMs: 8 * DAY_MS, steps: sweepDisputes },
}

/**
 * Asks the provider for what it failed to report, and repairs what differs: those sweeps that are due, or all of them.
 * When the last finished run of each began is kept in the database, so that a service that was down, or a database that
 * was restored, looks back as far as it has to; `sinceMs` looks further back. Goes on past single objects and sweeps
 * that fail; ends early when it is told to and when the database does not answer. Tells how far it is after every
 * step. Throws `Unavailable('storage')` where the sweeps' own times cannot be read or kept.
 */
export async function reconcilePayments(
  ports: ReconcileDependencies,
  {
    only,
    sinceMs = 0,
    stopping,
    onProgress = () => {},
  }: {
    only: 'due' | 'all'
    sinceMs?: number
    stopping: AbortSignal
    onProgress?: (report: SweepReport) => void
  },
): Promise<readonly SweepReport[]> {
  const reports: SweepReport[] = []
  for (const name of SWEEP_NAMES) {
    if (stopping.aborted) break
    const startedAt = ports.clock.now()
    const lastRun = await ports.sweeps.findLastRun(name)
    if (only === 'due' && !isDue(SWEEPS[name], lastRun, startedAt)) continue

    const since = beginning(SWEEPS[name], { lastRun, startedAt, sinceMs })
    const { report, failure } = await runSweep(ports, name, { since, stopping, onProgress })
    reports.push(report)
    // A key may be refused for one kind of record and not for another; without the database nothing can be done.
    if (isStorageOutage(failure)) break
    if (report.finished && SWEEPS[name].everyMs > 0) await ports.sweeps.recordRun(name, startedAt)
  }
  return reports
}

/** A last run in the future was noted by a clock that has been set back since. */
function isDue({ everyMs }: Sweep, lastRun: Date | null, now: Date): boolean {
  if (lastRun === null || lastRun > now) return true
  return now.getTime() - lastRun.getTime() >= everyMs
}

function beginning(
  { windowMs }: Sweep,
  { lastRun, startedAt, sinceMs }: { lastRun: Date | null; startedAt: Date; sinceMs: number },
): Date {
  const last = Math.min(lastRun?.getTime() ?? Infinity, startedAt.getTime())
  return new Date(Math.min(last - windowMs, startedAt.getTime() - sinceMs))
}

async function runSweep(
  ports: ReconcileDependencies,
  sweep: SweepName,
  {
    since,
    stopping,
    onProgress,
  }: { since: Date; stopping: AbortSignal; onProgress: (report: SweepReport) => void },
): Promise<{ report: SweepReport; failure: unknown }> {
  let report: SweepReport = { sweep, checked: 0, repaired: 0, failed: 0, finished: false }
  const { step, hasMissed } = carefulSteps(ports, sweep)
  try {
    for await (const { checked, repaired, failed } of SWEEPS[sweep].steps(ports, step, since)) {
      report = {
        ...report,
        checked: report.checked + checked,
        repaired: report.repaired + repaired,
        failed: report.failed + failed,
      }
      onProgress(report)
      if (stopping.aborted) return { report, failure: null }
    }
    report = { ...report, finished: !hasMissed() }
    return { report, failure: null }
  } catch (failure) {
    logFailure(ports, failure, { sweep })
    return { report, failure }
  } finally {
    onProgress(report)
    if (report.repaired + report.failed > 0) ports.log.info('payments reconciled', report)
  }
}

async function* sweepOpenPurchases(
  ports: ReconcileDependencies,
  step: CarefulStep,
): AsyncGenerator<Tally> {
  for await (const purchase of eachPurchase(ports, ['open', 'processing'])) {
    yield await step(purchase.id, () => reread(ports, purchase))
  }
}

async function reread(ports: ReconcileDependencies, purchase: Purchase): Promise<number> {
  const { sessionId } = purchase
  const report = sessionId === null ? null : await ports.payments.readSession(sessionId)
  if (report) return settle(ports, report)

  return isForgotten(purchase, ports.clock.now()) ? giveUp(ports, purchase) : 0
}

async function giveUp(ports: ReconcileDependencies, { id, sessionId }: Purchase): Promise<number> {
  const cause = reconcilerCause(ports)
  const given = await ports.purchases.updateById(id, cause, (_, current) => {
    const forgotten = isForgotten(current, cause.at) ? current : null
    return { purchase: forgotten && closePurchase(forgotten), forgotten }
  })
  const forgotten = given?.forgotten
  const fields = { purchase: id, session: sessionId }
  if (forgotten?.state === 'processing') {
    ports.log.error('given up: the provider does not know where the money of a purchase is', fields)
  } else if (forgotten) {
    ports.log.info('given up: nobody can pay for a purchase any more', fields)
  }
  return forgotten ? 1 : 0
}

async function settle(ports: ReconcileDependencies, report: SessionReport): Promise<number> {
  const settlement = await settleSession(ports, report, 'reconciler')
  return settlement?.isNews ? 1 : 0
}

async function* sweepSessions(
  ports: ReconcileDependencies,
  step: CarefulStep,
  since: Date,
): AsyncGenerator<Tally> {
  for await (const page of eachPage(ports.payments.findCompletedSessions, since)) {
    yield* unreadable(step, page)
    for (const report of page.items) {
      yield await step(report.sessionId, () => settle(ports, report))
    }
  }
}

async function* sweepNotifications(
  ports: ReconcileDependencies,
  step: CarefulStep,
  since: Date,
): AsyncGenerator<Tally> {
  for await (const page of eachPage(ports.payments.findUndeliveredNotifications, since)) {
    yield* unreadable(step, page)
    for (const notification of page.items) {
      yield await step(notification.eventId, async () =>
        (await settlePayment(ports, notification, 'reconciler')) ? 1 : 0,
      )
    }
  }
}

/** Refunds take weeks to bounce, so that those on their way are looked at however old they are. */
async function* sweepRefunds(
  ports: ReconcileDependencies,
  step: CarefulStep,
  since: Date,
): AsyncGenerator<Tally> {
  for await (const page of eachPage(ports.payments.findRefunds, since)) {
    yield* unreadable(step, page)
    for (const refund of page.items) {
      yield await step(refund.id, () => applyRefunds(ports, [refund], reconcilerCause(ports)))
    }
  }
  yield* rereadReversals(ports, step, await ports.refunds.findPendingPayments())
}

/** Banks take months for a verdict. */
async function* sweepDisputes(
  ports: ReconcileDependencies,
  step: CarefulStep,
  since: Date,
): AsyncGenerator<Tally> {
  for await (const page of eachPage(ports.payments.findDisputes, since)) {
    yield* unreadable(step, page)
    for (const dispute of page.items) {
      yield await step(dispute.id, () => applyDisputes(ports, [dispute], reconcilerCause(ports)))
    }
  }
  yield* rereadReversals(ports, step, await ports.disputes.findPendingPayments())
}

async function* rereadReversals(
  ports: ReconcileDependencies,
  step: CarefulStep,
  paymentIntentIds: readonly string[],
): AsyncGenerator<Tally> {
  for (const id of paymentIntentIds) {
    yield await step(id, () => readReversals(ports, id, reconcilerCause(ports)))
  }
}

async function* eachPage<Item>(
  find: (window: ListWindow) => Promise<ListPage<Item>>,
  since: Date,
): AsyncGenerator<ListPage<Item>> {
  let cursor: string | null = null
  do {
    const page: ListPage<Item> = await find({ since, cursor })
    yield page
    if (page.cursor !== null && page.cursor === cursor)
      throw new Error('a list that repeats a page')
    cursor = page.cursor
  } while (cursor !== null)
}

async function* unreadable(step: CarefulStep, page: ListPage<unknown>): AsyncGenerator<Tally> {
  for (const id of page.unreadable) {
    yield await step(id, async () => {
      throw new Error('an object of the provider that makes no sense')
    })
  }
}

function reconcilerCause(ports: ReconcileDependencies): Cause {
  return causeOf(ports, { by: 'reconciler', source: null })
}
