import type { Registry } from 'prom-client'
import type { ConnectionEvent } from '../../application/telemetry.ts'
import type { PoolState } from '../postgres/connection/connection-pool.ts'
import { byLabel, counter, type Gauges, histogram, seconds } from './instruments.ts'

// In seconds. DATABASE_TIMEOUT ends the wait.
const WAIT_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** The connections at this moment. */
export function poolGauges({ open, idle, waiting, max }: PoolState): Gauges {
  return {
    alibi_postgres_connections: [
      'Connections of this process to PostgreSQL, by what they do.',
      byLabel('state', { busy: Math.max(0, open - idle), idle }),
    ],
    alibi_postgres_connections_max: [
      'How many connections this process opens at most: DATABASE_POOL_MAX.',
      max,
    ],
    alibi_postgres_connection_waiters: ['How many wait for a connection at this moment.', waiting],
  }
}

/** Counts what becomes of connections from now on. */
export function connectionMetrics(registry: Registry): (event: ConnectionEvent) => void {
  const waits = histogram(registry, {
    name: 'alibi_postgres_connection_wait_seconds',
    help: 'How long somebody waited for a connection, whether one came or not.',
    labels: [],
    buckets: WAIT_BUCKETS,
  })
  const givenUp = counter(registry, {
    name: 'alibi_postgres_connection_waits_given_up_total',
    help: 'Waits for a connection that ended without one.',
    labels: {},
  })
  const failures = counter(registry, {
    name: 'alibi_postgres_connection_failures_total',
    help: 'Connections that could not be opened, or that broke off.',
    labels: {},
  })
  const retries = counter(registry, {
    name: 'alibi_postgres_transaction_retries_total',
    help: 'Transactions that were run again, because two stood in the way of each other.',
    labels: { reason: ['deadlock', 'serialization'] },
  })

  return (event) => {
    switch (event.kind) {
      case 'connection_waited':
        if (event.outcome === 'gave_up') givenUp.inc()
        return waits.observe(seconds(event.ms))
      case 'connection_failed':
        return failures.inc()
      case 'transaction_retried':
        return retries.inc({ reason: event.reason })
    }
  }
}
