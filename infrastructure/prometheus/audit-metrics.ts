import type { Registry } from 'prom-client'
import type { AuditEnded } from '../../application/telemetry.ts'
import type { DatabaseStatistics } from '../../application/upkeep/database-statistics.ts'
import { gauge } from './instruments.ts'

/**
 * `ended` is the last audit of this process. What it found is shown until any process has made a later one, which then
 * shows its own.
 */
export function addAuditMetrics(
  registry: Registry,
  statistics: Pick<DatabaseStatistics, 'lastAuditAt'> | null,
  ended: AuditEnded | null,
): void {
  const lastAuditAt = statistics?.lastAuditAt
  if (!lastAuditAt) return
  gauge(
    registry,
    {
      name: 'alibi_audit_last_run_timestamp_seconds',
      help: 'When the last audit of payments and grants that came to its end began.',
    },
    [{ value: lastAuditAt.getTime() / 1000 }],
  )
  if (!ended || ended.startedAt.getTime() !== lastAuditAt.getTime()) return
  gauge(
    registry,
    {
      name: 'alibi_audit_discrepancies',
      help: 'What that audit found not to fit together, by kind. Anything but 0 needs an operator.',
    },
    Object.entries(ended.counts).map(([kind, value]) => ({ labels: { kind }, value })),
  )
}
