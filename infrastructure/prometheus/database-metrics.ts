import type { OutboxCount } from '../../application/statistics.ts'
import type { AuditEnded } from '../../application/telemetry.ts'
import type { DatabaseStatistics } from '../../application/upkeep/database-statistics.ts'
import { OUTBOX_KINDS } from '../../domain/outbox.ts'
import { byLabel, type Gauges } from './instruments.ts'

/** `statistics` is null while the database does not answer: then the only metric says so. */
export function databaseGauges(statistics: DatabaseStatistics | null, now: Date): Gauges {
  const isUp = 'Whether the database answers: 1 or 0.'
  if (!statistics) return { alibi_database_up: [isUp, 0] }
  const { files, mailLimitUse } = statistics
  return {
    alibi_database_up: [isUp, 1],
    alibi_purchases: ['Purchases on record, by state.', byLabel('state', statistics.purchases)],
    alibi_purchases_awaiting_review: [
      'Purchases with money that was not asked for, until an operator gives it back.',
      statistics.awaitingReview,
    ],
    alibi_reconciler_behind_seconds: [
      'For how long at most an open or delayed purchase was not read at the provider.',
      statistics.reconcilerBehindMs / 1000,
    ],
    alibi_wrong_code_tries_last_hour: [
      'Wrong codes over all addresses. Many are a sign of somebody who guesses.',
      statistics.wrongTries,
    ],
    alibi_wrong_code_tries_worst_last_hour: [
      'Wrong codes at the address that was hit most, and from the worst network.',
      byLabel('of', statistics.wrongTriesOfWorst),
    ],
    alibi_mail_limit_used_ratio: [
      'How much of MAIL_LIMIT is used up, of all of it and of the half of strangers: 1 is all.',
      mailLimitUse && byLabel('share', mailLimitUse),
    ],
    ...outboxGauges(statistics.outbox, now),
    alibi_database_bytes: [
      'Size of the database, by file.',
      files && byLabel('file', { db: files.databaseBytes, wal: files.logBytes }),
    ],
    alibi_database_free_bytes: [
      'Room that is left on the disk of the database.',
      files?.freeBytes ?? null,
    ],
  }
}

function outboxGauges(outbox: readonly OutboxCount[], now: Date): Gauges {
  const counts = OUTBOX_KINDS.flatMap((kind) =>
    (['waiting', 'given_up'] as const).map((state) => ({
      labels: { kind, state },
      count: outbox.find((one) => one.kind === kind && one.state === state),
    })),
  )
  return {
    alibi_outbox_messages: [
      'Mails about payments, and refunds of second payments, that wait or were given up.',
      counts.map(({ labels, count }) => ({ labels, value: count?.messages ?? 0 })),
    ],
    alibi_outbox_oldest_seconds: [
      'For how long the oldest of them has been there; 0 where there is none.',
      counts.map(({ labels, count }) => {
        const ageMs = count ? now.getTime() - count.oldestAt.getTime() : 0
        return { labels, value: Math.max(0, ageMs) / 1000 }
      }),
    ],
  }
}

/**
 * `ended` is the last audit of this process. What it found is shown until any process has made a later one, which then
 * shows its own.
 */
export function auditGauges(
  statistics: Pick<DatabaseStatistics, 'lastAuditAt'> | null,
  ended: AuditEnded | null,
): Gauges {
  const lastMs = statistics?.lastAuditAt?.getTime() ?? null
  const isOwn = lastMs !== null && ended?.startedAt.getTime() === lastMs
  return {
    alibi_audit_last_run_timestamp_seconds: [
      'When the last audit of payments and grants that came to its end began.',
      lastMs && lastMs / 1000,
    ],
    alibi_audit_discrepancies: [
      'What that audit found not to fit together, by kind. Anything but 0 needs an operator.',
      isOwn ? byLabel('kind', ended.counts) : null,
    ],
  }
}
