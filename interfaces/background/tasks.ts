import { watchMailLimit } from '../../application/access/watch-mail-limit.ts'
import { watchWrongCodes } from '../../application/access/watch-wrong-codes.ts'
import { deliverOutbox } from '../../application/payments/deliver-outbox.ts'
import type { Ports } from '../../application/ports.ts'
import type { ReadingPlace } from '../../application/reconciling/open-purchases.ts'
import { callPace, type Pace, pacedPayments } from '../../application/reconciling/paced-payments.ts'
import {
  reconcilePayments,
  type SweepReport,
} from '../../application/reconciling/reconcile-payments.ts'
import { SWEEP_NAMES } from '../../application/store.ts'
import { auditInBackground } from '../../application/upkeep/audit-ledger.ts'
import { pruneExpired } from '../../application/upkeep/prune-expired.ts'
import { type Replicas, SIGN_EVERY_MS } from '../../application/upkeep/replicas.ts'
import type { ScheduledBackups } from '../../application/upkeep/scheduled-backups.ts'
import { stepPauses } from '../../application/upkeep/step-pauses.ts'
import { type ClockMeasurement, watchClock } from '../../application/upkeep/watch-clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/duration.ts'
import type { Task, Tasks } from './background.ts'

/** When a service begins, everybody comes back at once, and nothing has changed that the last audit has not seen. */
const AUDIT_AFTER_MS = 5 * MINUTE_MS

/** A third of what a replica may at most be wrong by. */
const CLOCK_EVERY_MS = 20 * SECOND_MS
/** Another replica leads within a minute, so that rows of finished windows are gone within 90 seconds. */
const RATE_LIMITS_EVERY_MS = 15 * SECOND_MS

/**
 * All that the service does by itself, and how often. Only the watchdog is separate, because the supervisor sets its
 * interval; see watchdog.ts.
 */
export function serviceTasks({
  ports,
  backups,
  replicas,
  measureClock = null,
  pruneRateLimits = null,
  isReady,
  loadRoutes,
  monotonicMs,
  wait,
}: {
  ports: Ports
  /** Null where the service makes none. */
  backups: ScheduledBackups | null
  /** Null where no other process can serve on the database. */
  replicas: Replicas | null
  /** Null where the database has no clock of its own. */
  measureClock?: (() => Promise<ClockMeasurement>) | null
  /** Deletes some rows of finished windows, and says whether there may be more. Null where no row is kept. */
  pruneRateLimits?: (() => Promise<boolean>) | null
  isReady: () => Promise<boolean>
  /** Has the routes ready before a request asks for them. */
  loadRoutes: () => Promise<unknown>
  /** Milliseconds that pass evenly, even where the clock is set. */
  monotonicMs: () => number
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  wait: (milliseconds: number, until?: AbortSignal) => Promise<void>
}): Tasks {
  const pauses = stepPauses({ monotonicMs, wait })
  const pace = callPace({ monotonicMs, wait })
  return {
    ofEach: [
      { name: 'routes', everyMs: null, work: loadRoutes },
      // The first visitor of the app page sees the price, and the log tells of one that nothing can be sold at. Once it
      // is known, nobody is asked again.
      { name: 'price', everyMs: MINUTE_MS, fromStart: true, work: () => ports.payments.price() },
      // A backup that is due is late by this much at most.
      ...(backups ? [backupTask(backups)] : []),
      // So that the log reports a failing database even where no client asks /ready.
      { name: 'readiness', everyMs: 30 * SECOND_MS, work: isReady },
      ...(replicas ? [signOfLifeTask(replicas)] : []),
      ...(measureClock ? [clockTask(ports, measureClock)] : []),
    ],
    ofLeader: () => [
      { name: 'outbox', everyMs: SECOND_MS, work: (term) => deliverOutbox(ports, term) },
      { name: 'reconciler', everyMs: MINUTE_MS, fromStart: true, work: reconciler(ports, pace) },
      {
        name: 'pruning',
        everyMs: HOUR_MS,
        work: (stopping) => pruneExpired(ports, { pause: pauses(stopping.signal), stopping }),
      },
      // Every hour it is looked whether a day has passed, so that one that failed is not put off for a day.
      {
        name: 'audit',
        everyMs: HOUR_MS,
        firstAfterMs: AUDIT_AFTER_MS,
        work: dailyAudit(ports, { pauses, monotonicMs }),
      },
      { name: 'wrong_codes', everyMs: MINUTE_MS, work: watchWrongCodes(ports) },
      { name: 'mail_limit', everyMs: MINUTE_MS, work: watchMailLimit(ports) },
      ...(pruneRateLimits ? [rateLimitTask(pruneRateLimits)] : []),
    ],
  }
}

function backupTask(backups: ScheduledBackups): Task {
  return { name: 'backups', everyMs: MINUTE_MS, work: ({ signal }) => backups.work(signal) }
}

function signOfLifeTask(replicas: Replicas): Task {
  return { name: 'sign_of_life', everyMs: SIGN_EVERY_MS, work: replicas.signOfLife }
}

function clockTask({ log }: Ports, measureClock: () => Promise<ClockMeasurement>): Task {
  return { name: 'clock', everyMs: CLOCK_EVERY_MS, work: watchClock({ measureClock, log }) }
}

function rateLimitTask(pruneRateLimits: () => Promise<boolean>): Task {
  return {
    name: 'rate_limits',
    everyMs: RATE_LIMITS_EVERY_MS,
    async work(term) {
      while (!term.aborted && (await pruneRateLimits()));
    },
  }
}

/**
 * Asks the provider for what it failed to report: about everything until one run was complete, then about what is due.
 */
function reconciler(ports: Ports, pace: Pace): Task['work'] {
  const place: ReadingPlace = { after: null }
  // A restored backup also restores the times of the last sweeps, so that none of them may seem to be due.
  let only: 'all' | 'due' = 'all'
  return async (stopping) => {
    const payments = pacedPayments(ports.payments, pace)
    const reports = await reconcilePayments({ ...ports, payments }, { only, place, stopping })
    for (const { checked, ...report } of reports) {
      ports.telemetry.record({ kind: 'sweep_ended', ...report })
    }
    if (hasSeenAll(reports)) only = 'due'
  }
}

/** At the first call, and a day after the beginning of each that came to its end. */
function dailyAudit(
  ports: Ports,
  { pauses, monotonicMs }: { pauses: ReturnType<typeof stepPauses>; monotonicMs: () => number },
): Task['work'] {
  let dueMs = Number.NEGATIVE_INFINITY
  return async (stopping) => {
    const startedMs = monotonicMs()
    if (startedMs < dueMs) return
    await auditInBackground(ports, { pause: pauses(stopping.signal), stopping })
    // Less than an hour short of it: else the look that comes just before it would put it off to the next one.
    dueMs = startedMs + DAY_MS - MINUTE_MS
  }
}

function hasSeenAll(reports: readonly SweepReport[]): boolean {
  return reports.length === SWEEP_NAMES.length && reports.every(({ finished }) => finished)
}
