import { onTestFinished } from 'bun:test'
import type { TelemetryEvent } from '../../application/telemetry.ts'
import { readDatabaseStatistics } from '../../application/upkeep/database-statistics.ts'
import { ALWAYS_LEADING } from '../../application/upkeep/leadership.ts'
import {
  prometheusMetrics,
  type Sources,
} from '../../infrastructure/prometheus/prometheus-metrics.ts'
import { readExposition } from './exposition.ts'
import { fakePorts } from './fakes.ts'

/** Metrics of a service on fake ports, but for the sources that a test gives. */
export async function openMetrics(own: Partial<Sources> = {}) {
  const ports = fakePorts()
  const metrics = prometheusMetrics({ monotonicMs: () => performance.now() })
  onTestFinished(metrics.stop)
  const { statistics, clock } = ports
  const read = await metrics.watch({
    statistics,
    clock,
    readDatabaseStatistics: () => readDatabaseStatistics(ports),
    isReady: async () => true,
    backups: null,
    leadership: ALWAYS_LEADING,
    replicas: null,
    poolState: null,
    version: '1.2.3',
    ...own,
  })
  return {
    ports,
    read,
    record: (...events: readonly TelemetryEvent[]) => {
      for (const event of events) metrics.telemetry.record(event)
    },
    samples: async () => Object.fromEntries(readExposition(await read()).samples),
  }
}
