import { describe, expect, test } from 'bun:test'
import type { TelemetryEvent } from '../../../application/telemetry.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { NOON } from '../../support/fakes.ts'
import { countingLimiter, EMAIL, openHttp, WRONG_CODE } from '../../support/http/http-client.ts'

const SIGNED = { 'stripe-signature': 'valid' }

/** The answers that telemetry got, without the time they took. */
function answersOf({ ports }: ReturnType<typeof openHttp>) {
  return ports.telemetry.of('request_answered').map(({ ms, kind, ...answer }) => answer)
}

describe('telemetry hears of every answer', () => {
  test('with its method, its route and its status', async () => {
    const http = openHttp()
    await http.get('/languages')
    await http.get(`/auth/check?email=${EMAIL}`)
    await http.post('/auth/confirm-email', { email: EMAIL, code: WRONG_CODE })
    await http.send('HEAD', '/health')
    await http.send('OPTIONS', '/languages', { headers: { origin: 'https://a.example' } })
    expect(answersOf(http)).toEqual([
      { method: 'GET', route: '/languages', status: 200 },
      { method: 'GET', route: '/auth/check', status: 200 },
      { method: 'POST', route: '/auth/confirm-email', status: 401 },
      { method: 'HEAD', route: '/health', status: 200 },
      { method: 'OPTIONS', route: '/languages', status: 404 },
    ])
  })

  test('but of no path that a client makes up', async () => {
    const http = openHttp()
    for (const path of [`/${EMAIL}`, `/auth/${EMAIL}`, '/assets/nothing.js', '/a/b/c']) {
      await http.get(path)
    }
    expect(answersOf(http).map(({ route }) => route)).toEqual([null, '/auth/*', '/assets/*', null])
    expect(JSON.stringify(http.ports.telemetry.events)).not.toContain(EMAIL)
  })

  test('and of the time it took by a monotonic clock', async () => {
    let ms = 0
    const http = openHttp({ monotonicMs: () => (ms += 7) })
    await http.get('/languages')
    expect(http.ports.telemetry.of('request_answered').map((one) => one.ms)).toEqual([7])
  })
})

describe('telemetry hears of a refusal', () => {
  test('by its reason, whether a rule or the request itself is why', async () => {
    const http = openHttp()
    await http.get('/auth/check?email=nonsense')
    await http.get('/i18n')
    await http.get('/nowhere')
    await http.post('/auth/confirm-email', { email: EMAIL, code: WRONG_CODE })
    expect(http.ports.telemetry.of('request_refused').map(({ reason }) => reason)).toEqual([
      'invalid_email',
      'missing_token',
      'endpoint_not_found',
      'invalid_code',
    ])
  })

  test('by the limit that a client has reached', async () => {
    const none = countingLimiter(0)
    const http = openHttp({ limiters: { general: none, auth: none, premium: null } })
    await http.get('/languages')
    await http.get(`/auth/check?email=${EMAIL}`)
    await http.get('/health')
    expect(http.ports.telemetry.of('client_refused')).toEqual([
      { kind: 'client_refused', policy: 'general', width: 'client' },
      { kind: 'client_refused', policy: 'auth', width: 'client' },
    ])
    expect(answersOf(http).map(({ status }) => status)).toEqual([429, 429, 200])
  })
})

describe('telemetry hears of every notification', () => {
  type Received = Extract<TelemetryEvent, { kind: 'notification_received' }>

  async function openWithSession() {
    const http = openHttp()
    await http.post('/auth/confirm-email', { email: EMAIL, code: await http.mailCode() })
    await http.post('/checkout', { email: EMAIL })
    const [sessionId = ''] = [...http.ports.payments.sessions.keys()]
    const deliver = (own: object, headers: Record<string, string> = SIGNED) =>
      http.post('/webhook/stripe', { eventId: 'evt_1', eventType: 'a.type', ...own }, headers)
    const told = (): Omit<Received, 'kind'>[] =>
      http.ports.telemetry.of('notification_received').map(({ kind, ...event }) => event)
    const paid = { kind: 'session', report: http.ports.payments.move(sessionId, 'paid') }
    return { http, deliver, told, paid }
  }

  test('whether it changed a state, and how late it came', async () => {
    const { http, deliver, told, paid } = await openWithSession()
    http.ports.clock.advance(4200)
    await deliver({ ...paid, occurredAt: NOON })
    await deliver({ ...paid, occurredAt: NOON })
    await deliver({ kind: 'other', occurredAt: NOON })
    expect(told()).toEqual([
      { outcome: 'news', lagMs: 4200 },
      { outcome: 'known', lagMs: 4200 },
      { outcome: 'ignored', lagMs: 4200 },
    ])
  })

  test('that came to nothing, and why', async () => {
    const { http, deliver, told, paid } = await openWithSession()
    await deliver(paid, { 'stripe-signature': 'forged' })
    const { updateById } = http.ports.purchases
    const spoil = (error: Error) => {
      http.ports.purchases.updateById = () => Promise.reject(error)
    }
    spoil(new Unavailable('storage', { cause: new Error('locked') }))
    await deliver(paid)
    spoil(new Error('a bug'))
    await deliver(paid)
    http.ports.purchases.updateById = updateById
    await deliver(paid)
    expect(told()).toEqual([
      { outcome: 'refused', lagMs: null },
      { outcome: 'unavailable', lagMs: null },
      { outcome: 'fault', lagMs: null },
      { outcome: 'news', lagMs: null },
    ])
  })
})
