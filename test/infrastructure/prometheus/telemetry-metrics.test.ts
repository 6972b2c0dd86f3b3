import { describe, expect, test } from 'bun:test'
import type { TelemetryEvent } from '../../../application/telemetry.ts'
import { openMetrics } from '../../support/open-metrics.ts'

function answered(own: Partial<Extract<TelemetryEvent, { kind: 'request_answered' }>> = {}) {
  const event = { kind: 'request_answered', method: 'GET', route: '/i18n', status: 200, ms: 3 }
  return { ...event, ...own } as TelemetryEvent
}

function called(own: Partial<Extract<TelemetryEvent, { kind: 'provider_called' }>>) {
  const event = { kind: 'provider_called', provider: 'email', operation: 'code', ms: 60 }
  return { ...event, failure: null, ...own } as TelemetryEvent
}

describe('telemetry', () => {
  test('requests count by method, route and status, and their time by route', async () => {
    const { record, samples } = await openMetrics()
    record(answered(), answered({ ms: 30 }), answered({ method: 'HEAD', status: 503, ms: 11_000 }))
    expect(await samples()).toMatchObject({
      'alibi_http_requests_total{method="GET",route="/i18n",status="200"}': 2,
      'alibi_http_requests_total{method="HEAD",route="/i18n",status="503"}': 1,
      'alibi_http_request_duration_seconds_bucket{le="0.0025",route="/i18n"}': 0,
      'alibi_http_request_duration_seconds_bucket{le="0.005",route="/i18n"}': 1,
      'alibi_http_request_duration_seconds_bucket{le="10",route="/i18n"}': 2,
      'alibi_http_request_duration_seconds_bucket{le="+Inf",route="/i18n"}': 3,
      'alibi_http_request_duration_seconds_sum{route="/i18n"}': 11.033,
    })
  })

  test('requests count once, however often the metrics are read', async () => {
    const { record, samples } = await openMetrics()
    const series = 'alibi_http_requests_total{method="GET",route="/i18n",status="200"}'
    record(answered())
    const readings = [await samples(), await samples()]
    record(answered(), answered())
    readings.push(await samples())
    expect(readings.map((reading) => reading[series])).toEqual([1, 1, 3])
  })

  test('every method and status of a route counts by itself', async () => {
    const { record, samples } = await openMetrics()
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other']
    const series = methods.flatMap((method) =>
      [200, 201, 404].map((status) => ({ method, status, route: '/i18n' })),
    )
    for (const [index, one] of series.entries()) {
      for (let count = 0; count <= index; count++) record(answered(one))
    }
    const told = await samples()
    expect(
      series.map(
        ({ method, route, status }) =>
          told[`alibi_http_requests_total{method="${method}",route="${route}",status="${status}"}`],
      ),
    ).toEqual(series.map((_, index) => index + 1))
  })

  test('whatever clients make up counts as one', async () => {
    const { record, read, samples } = await openMetrics()
    for (let count = 0; count < 1000; count++) {
      record(answered({ method: `MADE-UP-${count}`, route: null, status: 404 }))
    }
    expect(await read()).not.toContain('MADE')
    expect(
      (await samples())['alibi_http_requests_total{method="other",route="other",status="404"}'],
    ).toBe(1000)
  })

  test('a code that dies of its last wrong try is a wrong try, too', async () => {
    const { record, samples } = await openMetrics()
    for (const outcome of ['right', 'wrong', 'last_wrong', 'no_code'] as const) {
      record({ kind: 'code_tried', outcome })
    }
    expect(await samples()).toMatchObject({
      'alibi_code_tries_total{outcome="right"}': 1,
      'alibi_code_tries_total{outcome="wrong"}': 2,
      'alibi_code_tries_total{outcome="none"}': 1,
      alibi_codes_dead_total: 1,
    })
  })

  test('mails count as sent or failed, and codes by themselves', async () => {
    const { record, samples } = await openMetrics()
    const operation = 'payment_confirmed'
    record(called({}), called({ operation }), called({ operation, failure: 'unavailable' }))
    record(called({ failure: 'refused' }))
    record(called({ provider: 'payment', operation: 'read_session', failure: 'fault' }))
    expect(await samples()).toMatchObject({
      alibi_codes_sent_total: 1,
      'alibi_mail_failures_total{kind="code"}': 1,
      'alibi_mail_failures_total{kind="payment_confirmed"}': 1,
      'alibi_mail_failures_total{kind="payment_failed"}': 0,
      'alibi_provider_failures_total{provider="email",failure="unavailable"}': 1,
      'alibi_provider_failures_total{provider="email",failure="refused"}': 1,
      'alibi_provider_failures_total{provider="payment",failure="fault"}': 1,
      'alibi_provider_request_duration_seconds_count{provider="email",operation="code"}': 2,
      'alibi_provider_request_duration_seconds_bucket{le="0.1",provider="email",operation="code"}': 2,
      'alibi_provider_request_duration_seconds_bucket{le="0.05",provider="email",operation="code"}': 0,
    })
  })

  test('the lag of a notification counts where it is known', async () => {
    const { record, samples } = await openMetrics()
    const event = { kind: 'notification_received', outcome: 'news' } as const
    record({ ...event, lagMs: 4000 }, { ...event, lagMs: -1 }, { ...event, lagMs: Number.NaN })
    record({ ...event, outcome: 'refused', lagMs: null })
    expect(await samples()).toMatchObject({
      'alibi_webhook_deliveries_total{outcome="news"}': 3,
      'alibi_webhook_deliveries_total{outcome="refused"}': 1,
      alibi_webhook_lag_seconds_count: 3,
      alibi_webhook_lag_seconds_sum: 4,
    })
  })

  test('what the service does by itself counts', async () => {
    const { record, samples } = await openMetrics()
    expect(await samples()).toMatchObject({ 'alibi_task_failures_total{task="pruning"}': 0 })
    record({ kind: 'sweep_ended', sweep: 'refunds', repaired: 2, failed: 1, finished: false })
    record({ kind: 'sweep_ended', sweep: 'refunds', repaired: 0, failed: 0, finished: true })
    record({ kind: 'task_failed', task: 'backups' }, { kind: 'logged', level: 'error' })
    record({ kind: 'client_refused', policy: 'auth', width: '/48' })
    record({ kind: 'request_refused', reason: 'too_many_mails' })
    expect(await samples()).toMatchObject({
      'alibi_reconciler_repairs_total{sweep="refunds"}': 2,
      'alibi_reconciler_failures_total{sweep="refunds"}': 1,
      'alibi_reconciler_runs_total{sweep="refunds",finished="true"}': 1,
      'alibi_reconciler_runs_total{sweep="refunds",finished="false"}': 1,
      'alibi_task_failures_total{task="backups"}': 1,
      'alibi_log_lines_total{level="error"}': 1,
      'alibi_log_lines_total{level="warn"}': 0,
      'alibi_rate_limit_refusals_total{class="auth",width="/48"}': 1,
      'alibi_rate_limit_refusals_total{class="auth",width="client"}': 0,
      'alibi_refusals_total{reason="too_many_mails"}': 1,
    })
  })

  test('a service that is held up says for how long', async () => {
    const startedAt = performance.now()
    const { samples } = await openMetrics()
    Bun.sleepSync(300)
    // Until the timer that is due by now has had its turn.
    for (let turns = 0; turns < 10; turns++) await Bun.sleep(0)
    const { alibi_event_loop_lag_seconds_sum, alibi_event_loop_lag_seconds_count } = await samples()
    expect(alibi_event_loop_lag_seconds_count).toBeGreaterThanOrEqual(1)
    const passedSeconds = (performance.now() - startedAt) / 1000
    expect(alibi_event_loop_lag_seconds_sum).toBeWithin(0.05, passedSeconds)
  })
})
