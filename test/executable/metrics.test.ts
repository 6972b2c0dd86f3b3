import { expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  buyer,
  deliverAll,
  openProduction,
  otherCode,
  type Production,
  SECRETS,
} from '../support/executable/production.ts'
import { swept } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'
import { readExposition } from '../support/exposition.ts'
import { client } from '../support/http/client.ts'
import { signedDelivery, stripeEvent } from '../support/stripe/stripe-events.ts'
import { SERVER_ERROR } from '../support/stripe-double/faults.ts'

const CREATE = 'POST /v1/checkout/sessions'
const EXIT_WRONG_SETTINGS = 78
const OPERATIONS = join(import.meta.dir, '../../operations')

/** Starts `serve` with metrics; `read` asks for them as Prometheus does. */
async function startMeasured(production: Production, env: Record<string, string> = {}) {
  const alibi = await production.start({
    env: { ...production.settings, METRICS_PORT: '0', ...env },
  })
  const [, metricsUrl = ''] = /"metricsUrl":"([^"]+)"/.exec(alibi.output()) ?? []
  return {
    alibi,
    metricsUrl,
    async read() {
      const answer = await fetch(metricsUrl)
      expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
      return answer.text()
    },
    async sample(name: string) {
      return readExposition(await this.read()).samples.get(name)
    },
  }
}

/** Somebody sells, guesses, asks too often; Stripe and the mails fail; money goes back. */
async function walk(production: Production, url: string) {
  const { double, mailbox } = production
  const post = async (event: Parameters<typeof signedDelivery>[0], secret: string) => {
    const { payload, signature } = await signedDelivery(event, { secret, at: new Date() })
    const headers = { 'stripe-signature': signature }
    return (await fetch(`${url}/webhook/stripe`, { method: 'POST', headers, body: payload })).status
  }
  const secret = SECRETS.STRIPE_WEBHOOK_SECRET
  const alibi = { url } as Parameters<typeof buyer>[0]

  const ada = buyer(alibi, production, 'ada@example.com')
  await ada.prove()
  const { sessionId } = await ada.checkOut()
  const paid = double.pay(sessionId).find(({ type }) => type === 'checkout.session.completed')
  expect(await post(paid!, secret)).toBe(200)
  expect(await post(paid!, secret)).toBe(200)
  expect(await post(stripeEvent('customer.created.unhandled'), secret)).toBe(200)
  expect(await post(paid!, 'whsec_forged')).toBe(400)
  const { token = '' } = await ada.prove()
  for (const status of [200, 200, 429, 429, 429]) {
    expect((await ada.http.get('/premium-reasons', token)).status).toBe(status)
  }

  const eve = buyer(alibi, production, 'eve@example.com')
  const code = await eve.mailCode()
  for (let tries = 1; tries <= 6; tries++) {
    expect((await eve.confirm(otherCode(code, tries))).status).toBe(401)
  }

  const bob = buyer(alibi, production, 'bob@example.com')
  await bob.prove()
  double.fault(SERVER_ERROR, { times: 3, on: CREATE })
  expect((await bob.http.post('/checkout', { email: bob.email })).status).toBe(503)
  double.clearFaults()
  // Else the confirmation, which the outbox mails within a second, may be what is refused.
  await until('the confirmation is mailed', () =>
    mailbox.delivered.some(({ key }) => key?.startsWith('payment_confirmed:')),
  )
  mailbox.refuse(() => Response.json({ message: 'out of order' }, { status: 500 }))
  expect((await bob.http.post('/auth/verify-email', { email: bob.email })).status).toBe(503)

  double.refund(sessionId)
  // What it was told above is told again, and with it some things about the payment that say nothing new.
  await deliverAll(production)
  expect(await ada.hasPremium()).toBe(false)
  expect((await production.run(['grant', 'friend@example.com'])).exitCode).toBe(0)
  for (const path of ['/nowhere', `/${ada.email}`, `/auth/${code}`, `/payment/${sessionId}`]) {
    expect((await ada.http.get(path)).status).toBe(404)
  }
  return { sessionId, token, code }
}

/** What has to be there after the walk, to the last one. */
const AFTER_WALK: Readonly<Record<string, number>> = {
  alibi_ready: 1,
  alibi_database_up: 1,
  alibi_leader: 1,
  alibi_replicas: 1,
  'alibi_http_requests_total{method="POST",route="/auth/verify-email",status="200"}': 4,
  'alibi_http_requests_total{method="POST",route="/auth/verify-email",status="503"}': 1,
  'alibi_http_requests_total{method="POST",route="/auth/confirm-email",status="200"}': 3,
  'alibi_http_requests_total{method="POST",route="/auth/confirm-email",status="401"}': 6,
  'alibi_http_requests_total{method="GET",route="/premium-reasons",status="200"}': 2,
  'alibi_http_requests_total{method="GET",route="/premium-reasons",status="429"}': 3,
  'alibi_http_requests_total{method="POST",route="/checkout",status="200"}': 1,
  'alibi_http_requests_total{method="POST",route="/checkout",status="503"}': 1,
  'alibi_http_requests_total{method="GET",route="other",status="404"}': 2,
  'alibi_http_requests_total{method="GET",route="/auth/*",status="404"}': 1,
  'alibi_http_requests_total{method="GET",route="/payment/*",status="404"}': 1,
  'alibi_http_request_duration_seconds_count{route="/checkout"}': 2,
  'alibi_refusals_total{reason="invalid_code"}': 6,
  'alibi_refusals_total{reason="too_many_requests"}': 3,
  'alibi_rate_limit_refusals_total{class="premium",width="address"}': 3,
  'alibi_rate_limit_refusals_total{class="auth",width="client"}': 0,
  alibi_codes_sent_total: 4,
  'alibi_code_tries_total{outcome="right"}': 3,
  'alibi_code_tries_total{outcome="wrong"}': 5,
  'alibi_code_tries_total{outcome="none"}': 1,
  alibi_codes_dead_total: 1,
  alibi_wrong_code_tries_last_hour: 5,
  'alibi_wrong_code_tries_worst_last_hour{of="address"}': 5,
  'alibi_wrong_code_tries_worst_last_hour{of="network"}': 5,
  'alibi_mail_limit_used_ratio{share="all"}': 0.4,
  'alibi_mail_failures_total{kind="code"}': 1,
  'alibi_mail_failures_total{kind="payment_confirmed"}': 0,
  'alibi_provider_failures_total{provider="payment",failure="unavailable"}': 1,
  'alibi_provider_failures_total{provider="email",failure="unavailable"}': 1,
  'alibi_provider_request_duration_seconds_count{provider="payment",operation="create_session"}': 2,
  'alibi_webhook_deliveries_total{outcome="news"}': 2,
  'alibi_webhook_deliveries_total{outcome="known"}': 3,
  'alibi_webhook_deliveries_total{outcome="ignored"}': 4,
  'alibi_webhook_deliveries_total{outcome="refused"}': 1,
  'alibi_webhook_deliveries_total{outcome="unavailable"}': 0,
  'alibi_grant_changes_total{by="webhook",reason="paid",active="true"}': 1,
  'alibi_grant_changes_total{by="webhook",reason="refund_succeeded",active="false"}': 1,
  'alibi_grant_changes_total{by="operator",reason="granted",active="true"}': 1,
  'alibi_purchases{state="paid"}': 1,
  'alibi_purchases{state="open"}': 0,
  alibi_purchases_awaiting_review: 0,
  alibi_reconciler_behind_seconds: 0,
  'alibi_outbox_messages{kind="payment_confirmed",state="waiting"}': 0,
  'alibi_outbox_messages{kind="payment_confirmed",state="given_up"}': 0,
  'alibi_reconciler_runs_total{sweep="disputes",finished="true"}': 1,
  'alibi_log_lines_total{level="error"}': 0,
}

test('after a day of business the metrics say exactly what happened, and nothing about anybody', async () => {
  await using production = await openProduction()
  const { alibi, read } = await startMeasured(production, {
    RATE_LIMIT_PREMIUM: '2/10m',
    MAIL_LIMIT: '10/1h',
    BACKUP_DIR: join(production.folder, 'backups'),
  })
  // Else it may find out by itself what it is going to be told.
  await swept(production)
  const { sessionId, token, code } = await walk(production, alibi.url)
  let samples = readExposition(await read()).samples
  await until('the confirmation is mailed and the sweeps are through', async () => {
    samples = readExposition(await read()).samples
    const name = 'alibi_provider_request_duration_seconds_count'
    return (
      samples.get(`${name}{provider="email",operation="payment_confirmed"}`) === 1 &&
      samples.get('alibi_outbox_messages{kind="payment_confirmed",state="waiting"}') === 0 &&
      samples.get('alibi_reconciler_runs_total{sweep="disputes",finished="true"}') === 1
    )
  })
  const told = Object.keys(AFTER_WALK).map((name) => [name, samples.get(name)])
  expect(Object.fromEntries(told)).toEqual(AFTER_WALK)
  expect(samples.get('alibi_database_bytes{file="db"}')).toBeGreaterThan(4096)
  expect(samples.get('alibi_webhook_lag_seconds_count')).toBeGreaterThan(3)

  const text = await read()
  const secrets = ['@', 'example.com', sessionId, token, code, 'cs_', 'pur_', 'evt_', 'pi_', 're_']
  for (const secret of [...secrets, ...Object.values(SECRETS)]) {
    // Words of our own may contain the shorter ones.
    const values = [...text.matchAll(/="([^"]*)"/g)].map(([, value = '']) => value)
    expect(values.filter((value) => value.startsWith(secret) || value === secret)).toEqual([])
    if (secret.length > 4) expect(text).not.toContain(secret)
  }

  const { metrics } = readExposition(text)
  const used = await namesInOperations()
  expect(used.size).toBeGreaterThan(25)
  expect([...used].filter((name) => !metrics.has(name))).toEqual([])
  for (const [name, { help }] of metrics) expect({ name, help }).not.toEqual({ name, help: '' })
})

/**
 * Every metric that the handbook, the dashboard or an alert rule speaks of, by the name under which it is introduced,
 * but for those of a PostgreSQL, and of the audit, which a service makes only when it has run for five minutes
 * (prometheus-metrics.test.ts has its names).
 */
async function namesInOperations(): Promise<ReadonlySet<string>> {
  const texts = ['README.md', 'grafana-dashboard.json', 'prometheus-alerts.yml'].map((file) =>
    Bun.file(join(OPERATIONS, file)).text(),
  )
  const all = (await Promise.all(texts)).join('\n')
  const names = all.match(/\b(?:alibi|process)_[a-z_]+(?=[{[ )<>,\\"`]|$)/gm) ?? []
  const own = names.filter((name) => !/^alibi_(?:postgres|audit)_/.test(name))
  return new Set(own.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))
}

test('METRICS_PORT that is taken is named in one line, and nothing is touched', async () => {
  await using production = await openProduction()
  const { alibi, metricsUrl } = await startMeasured(production)
  const { port } = new URL(metricsUrl)
  const second = await production.run(['serve'], {
    ...production.settings,
    PORT: '0',
    METRICS_PORT: port,
    DATABASE_URL: `sqlite:${join(production.folder, 'other.db')}`,
  })
  expect(second).toMatchObject({ exitCode: 1, stdout: '' })
  expect(second.stderr).toMatch(new RegExp(`^alibi: METRICS_PORT: 127\\.0\\.0\\.1:${port} .+\n$`))
  expect(await Bun.file(join(production.folder, 'other.db')).exists()).toBe(false)
  expect((await client(alibi.url).get('/ready')).status).toBe(200)
})

test('METRICS_PORT that is PORT is a wrong setting', async () => {
  await using production = await openProduction()
  const env = { ...production.settings, PORT: '3999', METRICS_PORT: '3999' }
  expect(await production.run(['serve'], env)).toEqual({
    exitCode: EXIT_WRONG_SETTINGS,
    stdout: '',
    stderr: 'alibi: METRICS_PORT must be another port than PORT, which everybody reaches\n',
  })
})

test('without METRICS_PORT there are no metrics, and the public port never has them', async () => {
  await using production = await openProduction()
  const plain = await production.start()
  expect(plain.output()).not.toContain('metrics')
  expect((await client(plain.url).get('/metrics')).status).toBe(404)
  expect(await plain.stop()).toBe(0)

  const { alibi, metricsUrl } = await startMeasured(production)
  expect((await client(alibi.url).get('/metrics')).status).toBe(404)
  expect((await fetch(new URL('/ready', metricsUrl))).status).toBe(404)
  // A connection that Prometheus keeps open does not keep the service from stopping.
  expect(await alibi.stop()).toBe(0)
})
