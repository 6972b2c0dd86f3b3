import Registry from 'prom-client/lib/registry.js'
import type { Clock } from '../../application/ports.ts'
import type { AuditEnded, Telemetry } from '../../application/telemetry.ts'
import { Unavailable } from '../../application/unavailable.ts'
import type { DatabaseStatistics } from '../../application/upkeep/database-statistics.ts'
import type { Leadership } from '../../application/upkeep/leadership.ts'
import type { Replicas } from '../../application/upkeep/replicas.ts'
import type { Backups } from '../../application/upkeep/scheduled-backups.ts'
import type { PoolState } from '../postgres/connection/connection-pool.ts'
import { backupGauges } from './backup-metrics.ts'
import { auditGauges, databaseGauges } from './database-metrics.ts'
import { measureEventLoopLag } from './event-loop-lag.ts'
import { type GrantStatistics, grantChangeMetrics } from './grant-metrics.ts'
import { addGauges, type Gauges } from './instruments.ts'
import { connectionMetrics, poolGauges } from './pool-metrics.ts'
import { addProcessMetrics } from './process-metrics.ts'
import { telemetryMetrics } from './telemetry-metrics.ts'

/** The sources that every reading asks. */
export type Sources = {
  readonly statistics: GrantStatistics
  /** Throws `Unavailable('storage')`. */
  readonly readDatabaseStatistics: () => Promise<DatabaseStatistics>
  readonly isReady: () => Promise<boolean>
  /** Null where the service makes none by itself. */
  readonly backups: Backups | null
  readonly leadership: Pick<Leadership, 'isLeading'>
  /** Null where no other process can serve on the database. */
  readonly replicas: Pick<Replicas, 'findLive'> | null
  /** The connections to the database at this moment; null for an embedded one, which has none. */
  readonly poolState: (() => PoolState) | null
  readonly clock: Clock
  readonly version: string
}

/** All metrics of this moment, in Prometheus's text format 0.0.4. */
export type ReadMetrics = () => Promise<string>

export type PrometheusMetrics = {
  readonly telemetry: Telemetry
  /** From now on also counts the changes that any process records in the database. */
  watch(sources: Sources): Promise<ReadMetrics>
  stop(): void
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

export function prometheusMetrics({
  monotonicMs,
}: {
  /** Milliseconds that pass evenly, even where the clock is set. */
  monotonicMs: () => number
}): PrometheusMetrics {
  // Counters are kept. What is true of one moment is read again for each answer, so that no answer has a stale value.
  const kept = new Registry()
  let countConnections: ReturnType<typeof connectionMetrics> | null = null
  let lastAudit: AuditEnded | null = null
  const telemetry = telemetryMetrics(kept, {
    countConnections: (event) => countConnections?.(event),
    keepAudit(event) {
      lastAudit = event
    },
  })
  const lag = measureEventLoopLag(kept, monotonicMs)

  return {
    telemetry,
    async watch(sources) {
      if (sources.poolState) countConnections = connectionMetrics(kept)
      const countGrantChanges = grantChangeMetrics(kept, sources.statistics)
      await unlessDown(countGrantChanges)
      // Computed once: a value that changed with every reading would look like a restart each time.
      const startedAt = new Date(sources.clock.now().getTime() - process.uptime() * 1000)
      return oneAtATime(async () => {
        const databaseStatistics = await unlessDown(async () => {
          await countGrantChanges()
          return sources.readDatabaseStatistics()
        })
        const momentary = new Registry()
        addGauges(momentary, await momentaryGauges(sources, databaseStatistics))
        addGauges(momentary, auditGauges(databaseStatistics, lastAudit))
        addGauges(momentary, await replicaGauges(sources))
        addProcessMetrics(momentary, { version: sources.version, startedAt })
        return (await kept.metrics()) + (await momentary.metrics())
      })
    },
    stop: lag.stop,
  }
}

async function momentaryGauges(
  { isReady, backups, poolState, clock }: Sources,
  databaseStatistics: DatabaseStatistics | null,
): Promise<Gauges> {
  return {
    alibi_ready: ['What /ready says: 1 when it is 200, else 0.', (await isReady()) ? 1 : 0],
    ...databaseGauges(databaseStatistics, clock.now()),
    ...(poolState ? poolGauges(poolState()) : {}),
    ...(await backupGauges(backups)),
  }
}

/** Nobody knows how many replicas there are while the database does not answer. */
async function replicaGauges({ leadership, replicas }: Sources): Promise<Gauges> {
  const live = await unlessDown(async () => (replicas ? (await replicas.findLive()).length : 1))
  return {
    alibi_leader: [
      'Whether this replica is the one that works in the background for all: 1 or 0.',
      leadership.isLeading() ? 1 : 0,
    ],
    alibi_replicas: ['How many replicas serve on the database.', live],
  }
}

/** Null while the database does not answer. */
async function unlessDown<Result>(read: () => Promise<Result>): Promise<Result | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Unavailable) return null
    throw error
  }
}

/** A caller that asks while an answer is under way gets that one. */
function oneAtATime<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | null = null
  return () => {
    underWay ??= read().finally(() => {
      underWay = null
    })
    return underWay
  }
}
