import type { Registry } from 'prom-client'
import { SWEEP_NAMES } from '../../application/store.ts'
import {
  type AuditEnded,
  type ConnectionEvent,
  RATE_LIMIT_WIDTHS,
  TASK_NAMES,
  type Telemetry,
} from '../../application/telemetry.ts'
import { counter, histogram, seconds } from './instruments.ts'
import { requestCounts } from './request-counts.ts'

// In seconds.
const ANSWER_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const PROVIDER_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const LAG_BUCKETS = [1, 2.5, 5, 10, 30, 60, 300, 1800, 3600, 21_600, 86_400, 259_200]

/** Counts what happens from now on in metrics of the registry. */
export function telemetryMetrics(
  registry: Registry,
  {
    countConnections,
    keepAudit,
  }: {
    countConnections: (event: ConnectionEvent) => void
    keepAudit: (event: AuditEnded) => void
  },
): Telemetry {
  const requests = requestMetrics(registry)
  const codes = codeMetrics(registry)
  const providers = providerMetrics(registry)
  const webhook = webhookMetrics(registry)
  const sweeps = sweepMetrics(registry)
  const tasks = counter(registry, {
    name: 'alibi_task_failures_total',
    help: 'Runs of work in the background that failed as a whole, by task.',
    labels: { task: TASK_NAMES },
  })
  const lines = counter(registry, {
    name: 'alibi_log_lines_total',
    help: 'Warnings and errors in the log. An error needs an operator.',
    labels: { level: ['warn', 'error'] },
  })

  return {
    record(event) {
      switch (event.kind) {
        case 'request_answered': {
          const { method, status, ms } = event
          const route = event.route ?? 'other'
          requests.answered.add({ method, route, status })
          return requests.durations.observe({ route }, seconds(ms))
        }
        case 'request_refused':
          return requests.refused.inc({ reason: event.reason })
        case 'client_refused':
          return requests.limited.inc({ class: event.policy, width: event.width })
        case 'code_tried':
          if (event.outcome === 'last_wrong') codes.dead.inc()
          return codes.tries.inc({ outcome: LABEL_OF_TRY[event.outcome] })
        case 'provider_called': {
          const { provider, operation, ms, failure } = event
          providers.durations.observe({ provider, operation }, seconds(ms))
          if (failure) providers.failures.inc({ provider, failure })
          if (provider !== 'email') return
          if (failure) providers.mailFailures.inc({ kind: operation })
          else if (operation === 'code') providers.codesSent.inc()
          return
        }
        case 'notification_received':
          webhook.deliveries.inc({ outcome: event.outcome })
          if (event.lagMs !== null) webhook.lag.observe(seconds(event.lagMs))
          return
        case 'sweep_ended': {
          const { sweep, repaired, failed, finished } = event
          sweeps.repairs.inc({ sweep }, repaired)
          sweeps.failures.inc({ sweep }, failed)
          return sweeps.runs.inc({ sweep, finished: String(finished) })
        }
        case 'audit_ended':
          return keepAudit(event)
        case 'connection_waited':
        case 'connection_failed':
        case 'transaction_retried':
          return countConnections(event)
        case 'task_failed':
          return tasks.inc({ task: event.task })
        case 'logged':
          return lines.inc({ level: event.level })
      }
    },
  }
}

const LABEL_OF_TRY = {
  right: 'right',
  wrong: 'wrong',
  last_wrong: 'wrong',
  no_code: 'none',
} as const

function requestMetrics(registry: Registry) {
  const answered = requestCounts()
  counter(registry, {
    name: 'alibi_http_requests_total',
    help: 'Answered requests. What is no path of our own counts by its folder, or as "other".',
    labels: { method: [], route: [], status: [] },
    beforeReading(requests) {
      for (const { labels, requests: count } of answered.take()) requests.inc(labels, count)
    },
  })
  return {
    answered,
    durations: histogram(registry, {
      name: 'alibi_http_request_duration_seconds',
      help: 'From a whole request head to its answer, without the time that sending it takes.',
      labels: ['route'],
      buckets: ANSWER_BUCKETS,
    }),
    refused: counter(registry, {
      name: 'alibi_refusals_total',
      help: 'Requests that a rule refused, by reason.',
      labels: {
        reason: ['too_many_mails', 'too_many_wrong_codes', 'mail_limit_reached', 'invalid_code'],
      },
    }),
    limited: counter(registry, {
      name: 'alibi_rate_limit_refusals_total',
      help: 'Requests whose budget was used up, by budget and by whom it counts: an address, a client or a network.',
      labels: { class: ['general', 'auth', 'premium'], width: RATE_LIMIT_WIDTHS },
    }),
  }
}

function codeMetrics(registry: Registry) {
  return {
    tries: counter(registry, {
      name: 'alibi_code_tries_total',
      help: 'Codes that were brought; "none" where no code of the address was alive.',
      labels: { outcome: ['right', 'wrong', 'none'] },
    }),
    dead: counter(registry, {
      name: 'alibi_codes_dead_total',
      help: 'Codes that died of their last wrong try.',
      labels: {},
    }),
  }
}

function providerMetrics(registry: Registry) {
  return {
    durations: histogram(registry, {
      name: 'alibi_provider_request_duration_seconds',
      help: 'How long the payment and the mail provider took, by operation, whatever came of it.',
      labels: ['provider', 'operation'],
      buckets: PROVIDER_BUCKETS,
    }),
    failures: counter(registry, {
      name: 'alibi_provider_failures_total',
      help: 'Calls of a provider that came to nothing; "refused" stays so until an operator acts.',
      labels: { provider: ['payment', 'email'], failure: ['unavailable', 'refused', 'fault'] },
    }),
    codesSent: counter(registry, {
      name: 'alibi_codes_sent_total',
      help: 'Mails with a code that the mail provider has taken.',
      labels: {},
    }),
    mailFailures: counter(registry, {
      name: 'alibi_mail_failures_total',
      help: 'Mails that could not be handed to the mail provider, by kind.',
      labels: { kind: ['code', 'payment_confirmed', 'payment_failed'] },
    }),
  }
}

function webhookMetrics(registry: Registry) {
  return {
    deliveries: counter(registry, {
      name: 'alibi_webhook_deliveries_total',
      help: 'What the webhook was told, by what came of it; "refused" was not signed by the provider.',
      labels: { outcome: ['news', 'known', 'ignored', 'refused', 'unavailable', 'fault'] },
    }),
    lag: histogram(registry, {
      name: 'alibi_webhook_lag_seconds',
      help: 'From an event at the payment provider until it was dealt with here.',
      labels: [],
      buckets: LAG_BUCKETS,
    }),
  }
}

function sweepMetrics(registry: Registry) {
  const labels = { sweep: SWEEP_NAMES }
  return {
    repairs: counter(registry, {
      name: 'alibi_reconciler_repairs_total',
      help: 'Facts that the reconciler found and no webhook had told, by sweep.',
      labels,
    }),
    failures: counter(registry, {
      name: 'alibi_reconciler_failures_total',
      help: 'Objects of the payment provider that the reconciler could not judge, by sweep.',
      labels,
    }),
    runs: counter(registry, {
      name: 'alibi_reconciler_runs_total',
      help: 'Sweeps of the reconciler, and whether they came to their end.',
      labels: { ...labels, finished: ['true', 'false'] },
    }),
  }
}
