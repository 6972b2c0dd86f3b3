import { reportFault } from '../../application/error-report.ts'
import type { Log, Ports } from '../../application/ports.ts'
import type { Telemetry } from '../../application/telemetry.ts'
import { readDatabaseStatistics } from '../../application/upkeep/database-statistics.ts'
import type { Sources } from '../../infrastructure/prometheus/prometheus-metrics.ts'
import { monotonicMs } from '../../infrastructure/system-clock.ts'
import { countedLog, NO_TELEMETRY } from '../../infrastructure/telemetry/instrumented.ts'
import { listenForMetrics, type MetricsListener } from '../http/metrics-listener.ts'

type Measured = Omit<Sources, 'statistics' | 'readDatabaseStatistics' | 'clock'> & {
  readonly ports: Pick<Ports, 'statistics' | 'purchases' | 'sweeps' | 'clock' | 'rules'>
}

type ComposedMetrics = {
  readonly telemetry: Telemetry
  /** The same log, with its warnings and errors counted. */
  readonly log: Log
  /** Answers Prometheus from now on. */
  serve(measured: Measured): Promise<void>
  stop(): void
}

/** Binds METRICS_PORT at once and throws when it cannot. Without that setting nothing is measured. */
export async function composeMetrics({
  port,
  log,
}: {
  port: number | null
  log: Log
}): Promise<ComposedMetrics> {
  if (port === null) return { telemetry: NO_TELEMETRY, log, async serve() {}, stop() {} }

  const { CONTENT_TYPE, prometheusMetrics } = await import(
    '../../infrastructure/prometheus/prometheus-metrics.ts'
  )
  const listener = bind(port, log)
  const metrics = prometheusMetrics({ monotonicMs })
  return {
    telemetry: metrics.telemetry,
    log: countedLog(log, metrics.telemetry),
    async serve({ ports, ...measured }) {
      const { statistics, clock } = ports
      const read = await metrics.watch({
        statistics,
        clock,
        readDatabaseStatistics: () => readDatabaseStatistics(ports),
        ...measured,
      })
      listener.use({ read, contentType: CONTENT_TYPE })
      log('metrics.serving', { metricsUrl: listener.url })
    },
    stop() {
      listener.stop()
      metrics.stop()
    },
  }
}

function bind(port: number, log: Log): MetricsListener {
  const onFailure = (error: unknown) => log('metrics.failed', reportFault(error))
  try {
    return listenForMetrics({ port, onFailure })
  } catch (error) {
    throw new Error(`METRICS_PORT: 127.0.0.1:${port} cannot be listened on`, { cause: error })
  }
}
