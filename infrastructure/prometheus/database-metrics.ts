import type { Registry } from 'prom-client'
import type { FileSizes, OutboxCount } from '../../application/statistics.ts'
import type { DatabaseStatistics } from '../../application/upkeep/database-statistics.ts'
import type { MailLimitUse } from '../../domain/mail-limit.ts'
import { OUTBOX_KINDS } from '../../domain/outbox.ts'
import { gauge } from './instruments.ts'

/** `statistics` is null while the database does not answer: then the only metric says so. */
export function addDatabaseMetrics(
  registry: Registry,
  statistics: DatabaseStatistics | null,
  now: Date,
): void {
  gauge(registry, { name: 'alibi_database_up', help: 'Whether the database answers: 1 or 0.' }, [
    { value: statistics ? 1 : 0 },
  ])
  if (!statistics) return

  gauge(
    registry,
    { name: 'alibi_purchases', help: 'Purchases on record, by state.' },
    Object.entries(statistics.purchases).map(([name, value]) => ({
      labels: { state: name },
      value,
    })),
  )
  gauge(
    registry,
    {
      name: 'alibi_purchases_awaiting_review',
      help: 'Purchases with money that was not asked for, until an operator gives it back.',
    },
    [{ value: statistics.awaitingReview }],
  )
  gauge(
    registry,
    {
      name: 'alibi_reconciler_behind_seconds',
      help: 'For how long at most an open or delayed purchase was not read at the provider.',
    },
    [{ value: statistics.reconcilerBehindMs / 1000 }],
  )
  gauge(
    registry,
    {
      name: 'alibi_wrong_code_tries_last_hour',
      help: 'Wrong codes over all addresses. Many are a sign of somebody who guesses.',
    },
    [{ value: statistics.wrongTries }],
  )
  gauge(
    registry,
    {
      name: 'alibi_wrong_code_tries_worst_last_hour',
      help: 'Wrong codes at the address that was hit most, and from the worst network.',
    },
    (['address', 'network'] as const).map((of) => ({
      labels: { of },
      value: statistics.wrongTriesOfWorst[of],
    })),
  )
  if (statistics.mailLimitUse) addMailLimitMetrics(registry, statistics.mailLimitUse)
  addOutboxMetrics(registry, statistics.outbox, now)
  if (statistics.files) addFileMetrics(registry, statistics.files)
}

function addMailLimitMetrics(registry: Registry, use: MailLimitUse): void {
  gauge(
    registry,
    {
      name: 'alibi_mail_limit_used_ratio',
      help: 'How much of MAIL_LIMIT is used up, of all of it and of the half of strangers: 1 is all.',
    },
    (['all', 'strangers'] as const).map((share) => ({ labels: { share }, value: use[share] })),
  )
}

function addOutboxMetrics(registry: Registry, outbox: readonly OutboxCount[], now: Date): void {
  const counts = OUTBOX_KINDS.flatMap((kind) =>
    (['waiting', 'given_up'] as const).map((state) => ({
      labels: { kind, state },
      count: outbox.find((one) => one.kind === kind && one.state === state),
    })),
  )
  gauge(
    registry,
    {
      name: 'alibi_outbox_messages',
      help: 'Mails about payments, and refunds of second payments, that wait or were given up.',
    },
    counts.map(({ labels, count }) => ({ labels, value: count?.messages ?? 0 })),
  )
  gauge(
    registry,
    {
      name: 'alibi_outbox_oldest_seconds',
      help: 'For how long the oldest of them has been there; 0 where there is none.',
    },
    counts.map(({ labels, count }) => {
      const ageMs = count ? now.getTime() - count.oldestAt.getTime() : 0
      return { labels, value: Math.max(0, ageMs) / 1000 }
    }),
  )
}

function addFileMetrics(
  registry: Registry,
  { databaseBytes, logBytes, freeBytes }: FileSizes,
): void {
  gauge(registry, { name: 'alibi_database_bytes', help: 'Size of the database, by file.' }, [
    { labels: { file: 'db' }, value: databaseBytes },
    { labels: { file: 'wal' }, value: logBytes },
  ])
  gauge(
    registry,
    { name: 'alibi_database_free_bytes', help: 'Room that is left on the disk of the database.' },
    [{ value: freeBytes }],
  )
}
