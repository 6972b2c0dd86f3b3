import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../application/unavailable.ts'
import { fixedClock } from '../support/fakes.ts'
import { type Answered, EMAIL } from '../support/http/http-client.ts'
import { VERIFIER } from '../support/proof-key.ts'
import { openService, promisedLimits } from '../support/service/real-service.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const ORIGIN = { origin: 'chrome-extension://abcdefghijklmnop' }

type Sent = { headers?: Record<string, string>; body?: string }
type Expected = readonly [status: number, method: string, path: string, sent?: Sent]

function json(value: unknown): Sent {
  return { headers: JSON_TYPE, body: JSON.stringify(value) }
}

/** Requests that end in every status there is, each within a budget. */
const REQUESTS: readonly Expected[] = [
  [200, 'GET', '/'],
  [200, 'HEAD', '/languages'],
  [200, 'GET', `/auth/check?email=${EMAIL}`],
  [200, 'GET', '/payment/cancel'],
  [400, 'GET', '/payment/success'],
  [400, 'GET', '/auth/check'],
  [400, 'POST', '/auth/verify-email', json({ email: 5 })],
  [400, 'POST', '/auth/confirm-email', json({ email: EMAIL })],
  [400, 'POST', '/auth/token', json({ email: EMAIL })],
  [400, 'POST', '/auth/login', { headers: JSON_TYPE, body: '{' }],
  [400, 'POST', '/checkout', json([])],
  [401, 'GET', '/i18n'],
  [401, 'GET', '/premium-reasons', { headers: { authorization: 'Bearer x' } }],
  [401, 'POST', '/auth/logout'],
  [401, 'POST', '/auth/login', json({ email: EMAIL, code: '000000' })],
  [401, 'POST', '/auth/confirm-email', json({ email: EMAIL, code: 'x' })],
  [403, 'POST', '/auth/request-otp', json({ email: EMAIL })],
  [403, 'POST', '/auth/token', json({ email: EMAIL, codeVerifier: VERIFIER })],
  [403, 'POST', '/checkout', json({ email: EMAIL })],
  [404, 'GET', '/nothing'],
  [404, 'GET', '/payment/success?session_id=cs_test_nobody'],
  [404, 'GET', '/languages/'],
  [404, 'POST', '/i18n'],
  [404, 'OPTIONS', '/auth/login'],
  [404, 'DELETE', '/auth/check'],
  [413, 'POST', '/auth/login', { headers: JSON_TYPE, body: 'x'.repeat(65 * 1024) }],
  [404, 'POST', '/nothing', { body: 'x'.repeat(65 * 1024) }],
  [415, 'POST', '/checkout', { headers: { 'content-type': 'text/plain' }, body: '{}' }],
]

const POLICIES = {
  auth: '"auth";q=5;w=900',
  premium: '"premium";q=30;w=60',
  general: '"general";q=10;w=900',
} as const

function openLimited() {
  const clock = fixedClock()
  return openService({ clock, limiters: promisedLimits(clock) })
}

function policyOf(path: string): keyof typeof POLICIES {
  if (path.startsWith('/auth/')) return 'auth'
  return /^\/(?:i18n|premium-reasons)$/.test(path) ? 'premium' : 'general'
}

function expectRateLimit(answer: Answered, path: string): void {
  const name = policyOf(path)
  expect(answer.header('ratelimit-policy')).toBe(POLICIES[name])
  expect(answer.header('ratelimit')).toMatch(new RegExp(`^"${name}";r=\\d+;t=[1-9]\\d*$`))
}

function expectReadable(answer: Answered): void {
  expect(answer.header('access-control-allow-origin')).toBe('*')
  expect(answer.header('access-control-allow-credentials')).toBeNull()
  const exposed = answer.header('access-control-expose-headers')?.split(', ')
  expect(exposed).toEqual(
    expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate']),
  )
}

describe('every limited answer', () => {
  test.each(REQUESTS)(
    'says how its budget stands, and can be read by an extension: %d to %s %s',
    async (status, method, path, { headers = {}, body } = {}) => {
      const answer = await openLimited().send(method, path, {
        headers: { ...ORIGIN, ...headers },
        ...(body === undefined ? {} : { body }),
      })
      expect(answer.status).toBe(status)
      expectRateLimit(answer, path)
      expectReadable(answer)
      expect(answer.header('retry-after')).toBeNull()
    },
  )

  test.each(REQUESTS)(
    'says when to come back once the budget is spent, whatever it would have been: %d to %s %s',
    async (_, method, path, { headers = {}, body } = {}) => {
      const service = openLimited()
      const send = () =>
        service.send(method, path, {
          headers: { ...ORIGIN, ...headers },
          ...(body === undefined ? {} : { body }),
        })
      for (let request = 0; request < 30; request++) await send()

      const answer = await send()

      expect(answer.status).toBe(429)
      expectRateLimit(answer, path)
      expectReadable(answer)
      expect(answer.header('ratelimit')).toContain(';r=0;')
      const [, waitS] = /;t=(\d+)$/.exec(answer.header('ratelimit') ?? '') ?? []
      expect(answer.header('retry-after')).toBe(waitS ?? '')
    },
  )

  test('says so when the database is out of reach, with a token and without one', async () => {
    const service = openLimited()
    await service.givePremium()
    const authorization = `Bearer ${await service.tokenOf()}`
    service.close()
    for (const [path, headers] of [
      [`/auth/check?email=${EMAIL}`, {}],
      ['/i18n', { authorization }],
    ] as const) {
      const answer = await service.get(path, headers)
      expect(answer).toMatchObject({ status: 503, body: { error: 'Temporarily unavailable' } })
      expectRateLimit(answer, path)
      expectReadable(answer)
    }
  })

  test('says so when something broke, and hides what', async () => {
    const service = openLimited()
    service.ports.purchases.findAccount = async () => {
      throw new Error(`no such column: secret of ${EMAIL}`)
    }
    const answer = await service.post('/checkout', { email: EMAIL })
    const id = answer.header('x-request-id')
    expect(answer).toMatchObject({
      status: 500,
      body: { error: 'Internal server error', message: `Request ${id}` },
    })
    expect(answer.text).not.toMatch(/column|secret|@/)
    expectRateLimit(answer, '/checkout')
    expectReadable(answer)
  })

  test.each([
    ['email', 'Email delivery unavailable'],
    ['payment', 'Payment provider unavailable'],
  ] as const)('says so when %s is out of reach', async (outage, error) => {
    const service = openLimited()
    await service.verify(EMAIL)
    const down = async () => {
      throw new Unavailable(outage, { cause: new Error('out of order') })
    }
    service.ports.mailer.sendOtp = down
    service.ports.payments.createSession = down
    const path = outage === 'email' ? '/auth/verify-email' : '/checkout'
    const answer = await service.post(path, { email: EMAIL })
    expect(answer).toMatchObject({ status: 503, body: { error } })
    expectRateLimit(answer, path)
    expectReadable(answer)
  })
})

describe('a request id', () => {
  test.each(REQUESTS)(
    "is never the client's, and the log has the same: %d to %s %s",
    async (_, method, path, { headers = {}, body } = {}) => {
      const service = openService()
      const answer = await service.send(method, path, {
        headers: { 'x-request-id': '018f0000-0000-7000-8000-000000000000', ...headers },
        ...(body === undefined ? {} : { body }),
      })
      const id = answer.header('x-request-id')
      expect(id).toMatch(/^[0-9a-f-]{36}$/)
      expect(id).not.toBe('018f0000-0000-7000-8000-000000000000')
      const logged = service.ports.log.lines.map(({ fields }) => fields['request'])
      expect(logged.length).toBeGreaterThan(0)
      expect(new Set(logged)).toEqual(new Set([id]))
    },
  )
})

describe('401', () => {
  test.each(REQUESTS.filter(([status]) => status === 401))(
    'names the scheme, as RFC 9110 asks of each: %d to %s %s',
    async (_, method, path, { headers = {}, body } = {}) => {
      const answer = await openService().send(method, path, {
        headers,
        ...(body === undefined ? {} : { body }),
      })
      const hadToken = 'authorization' in headers
      expect(answer.header('www-authenticate')).toBe(
        hadToken ? 'Bearer error="invalid_token"' : 'Bearer',
      )
    },
  )
})

describe('a path that is written in another way', () => {
  test.each([
    '/auth/./login',
    '/auth/x/../login',
    '//auth/login',
    '/auth//login',
    '/auth/login/',
    '/auth/%6cogin',
    '/%61uth/login',
    '/AUTH/LOGIN',
    '/auth%2flogin',
    '/auth/login;x=1',
    '/auth/login%00',
    '/auth\\login',
    '/auth/login?x=1',
    '/auth/login#x',
  ])('opens no way around the budget of log-ins: %s', async (path) => {
    const service = openLimited()
    const send = (to: string) => service.send('POST', to, json({ email: EMAIL, code: '000000' }))
    for (let request = 0; request < 5; request++) await send('/auth/login')
    // Either it is the same endpoint and the budget is spent, or there is no such endpoint.
    expect([404, 429]).toContain((await send(path)).status)
  })
})
