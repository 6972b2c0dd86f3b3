import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts'
import { logFailure } from '../error-report.ts'
import type { SettleDependencies } from '../payments/settle-payment.ts'
import type { Ports } from '../ports.ts'
import { SWEEP_NAMES, type SweepName } from '../store.ts'
import type { Stopping } from '../upkeep/leadership.ts'
import type { ReadingPlace } from './open-purchases.ts'
import { isolatedSteps, isStorageOutage, type Tally } from './sweep-step.ts'
import { SWEEPS, sweepObjects } from './sweeps.ts'

export type ReconcileDependencies = SettleDependencies & Pick<Ports, 'sweeps'>

export type SweepReport = Tally & {
  readonly sweep: SweepName
  /** False when an outage ended the run early or hid an object from it. The next run reads what this one missed. */
  readonly finished: boolean
}

/**
 * Asks the provider for everything that it failed to report, and repairs every difference, by the sweeps that are due
 * or by all. The database keeps when the last finished run of each sweep began. After a downtime or a restore, a sweep
 * looks back to that moment; `sinceMs` looks further back. Goes on past objects and sweeps that fail. Ends early when
 * `stopping` is aborted or the database does not answer. Calls `onProgress` after every step. Throws
 * `Unavailable('storage')` where the sweeps' own times cannot be read or kept.
 */
export async function reconcilePayments(
  ports: ReconcileDependencies,
  {
    only,
    sinceMs = 0,
    place = { after: null },
    stopping,
    onProgress = () => {},
  }: {
    only: 'due' | 'all'
    sinceMs?: number
    /** Kept by whoever has several runs made, so that each goes on where the one before was cut short. */
    place?: ReadingPlace
    stopping: Stopping
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
    const { report, failure } = await runSweep(ports, name, { since, place, stopping, onProgress })
    reports.push(report)
    // A key may be refused for one kind of record and not for another; without the database nothing can be done.
    if (isStorageOutage(failure)) break
    if (isWorthRecording(report)) await ports.sweeps.recordRun(name, startedAt)
    if (SWEEPS[name].everyMs === 0) logLateness(ports, report, startedAt)
  }
  return reports
}

/** A last run in the future was noted by a clock that has been set back since. */
function isDue({ everyMs }: { everyMs: number }, lastRun: Date | null, now: Date): boolean {
  if (lastRun === null || lastRun > now) return true
  return now.getTime() - lastRun.getTime() >= everyMs
}

/** A run every minute that had nothing to look at would be a write every minute for nothing. */
function isWorthRecording({ sweep, finished, checked }: SweepReport): boolean {
  return finished && (SWEEPS[sweep].everyMs > 0 || checked > 0)
}

function logLateness(
  { clock, log }: ReconcileDependencies,
  { sweep, checked }: SweepReport,
  startedAt: Date,
): void {
  const tookMs = clock.now().getTime() - startedAt.getTime()
  if (tookMs <= MINUTE_MS) return
  log('reconcile.behind', { sweep, checked, seconds: Math.round(tookMs / SECOND_MS) })
}

function beginning(
  { windowMs }: { windowMs: number },
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
    place,
    stopping,
    onProgress,
  }: {
    since: Date
    place: ReadingPlace
    stopping: Stopping
    onProgress: (report: SweepReport) => void
  },
): Promise<{ report: SweepReport; failure: unknown }> {
  let report: SweepReport = { sweep, checked: 0, repaired: 0, failed: 0, finished: false }
  const { step, hasMissed } = isolatedSteps(ports, sweep, SWEEPS[sweep])
  try {
    for await (const { checked, repaired, failed } of sweepObjects(ports, sweep, {
      step,
      since,
      place,
      stopping,
    })) {
      report = {
        ...report,
        checked: report.checked + checked,
        repaired: report.repaired + repaired,
        failed: report.failed + failed,
      }
      onProgress(report)
      if (stopping.aborted) return { report, failure: null }
    }
    report = { ...report, finished: !hasMissed() && !stopping.aborted }
    return { report, failure: null }
  } catch (failure) {
    logFailure(ports, failure, 'reconcile.sweep_failed', { sweep })
    return { report, failure }
  } finally {
    onProgress(report)
    if (report.repaired + report.failed > 0) ports.log('reconcile.finished', report)
  }
}
