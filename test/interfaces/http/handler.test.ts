import { describe, expect, test } from 'bun:test'
import { createHandler, lateApp } from '../../../interfaces/http/handler.ts'
import { fakePorts } from '../../support/fakes.ts'
import {
  answers,
  countingLimiter,
  EMAIL,
  openHttp,
  WRONG_CODE,
} from '../../support/http/http-client.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const FAULT = new Error('disk I/O error near ada@example.com 012345')

/** A service with one part that fails in an unexpected way. */
function openBroken(fault: unknown = FAULT) {
  return openHttp(
    {},
    fakePorts({
      access: {
        findByEmail: async () => {
          throw fault
        },
      },
    }),
  )
}

/** One answer of every kind there is. */
async function everyAnswer() {
  const http = openHttp({ limiters: { general: null, auth: countingLimiter(3), premium: null } })
  const large = 'x'.repeat(70_000)
  return {
    200: await http.get('/'),
    204: await http.send('OPTIONS', '/auth/login', { headers: PREFLIGHT }),
    400: await http.post('/auth/login', {}),
    401: await http.get('/i18n'),
    403: await http.post('/auth/request-otp', { email: EMAIL }),
    404: await http.get('/nothing/here'),
    413: await http.send('POST', '/checkout', { body: large }),
    415: await http.send('POST', '/auth/login', {
      body: '{}',
      headers: { 'content-type': 'text/html' },
    }),
    429: await http.post('/auth/login', {}),
    500: await openBroken().get(`/auth/check?email=${EMAIL}`),
    503: await openHttp({ stopping: AbortSignal.abort() }).get('/ready'),
  }
}
const PREFLIGHT = { origin: 'https://a.example', 'access-control-request-method': 'POST' }

describe('every answer', () => {
  test('has the status it is listed under', async () => {
    for (const [status, answer] of Object.entries(await everyAnswer())) {
      expect(answer.status).toBe(Number(status))
    }
  })

  test('carries a fresh request id of our own making', async () => {
    const ids = Object.values(await everyAnswer()).map((answer) => answer.header('x-request-id'))
    for (const id of ids) expect(id).toMatch(UUID_V7)
    expect(new Set(ids).size).toBe(ids.length)

    const named = await openHttp().get('/', { 'x-request-id': 'mine' })
    expect(named.header('x-request-id')).toMatch(UUID_V7)
  })

  test('is guarded against being sniffed, framed, run and kept', async () => {
    for (const answer of Object.values(await everyAnswer())) {
      expect(answer.header('x-content-type-options')).toBe('nosniff')
      expect(answer.header('referrer-policy')).toBe('no-referrer')
      expect(answer.header('content-security-policy')).toContain("default-src 'none'")
      expect(answer.header('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(answer.header('cache-control')).toBe('no-store')
    }
  })

  test('insists on https where that is how users come, and only there', async () => {
    const secure = await openHttp({ isHttps: true }).get('/nothing')
    expect(secure.header('strict-transport-security')).toMatch(/^max-age=\d{8}$/)
    expect((await openHttp().get('/')).header('strict-transport-security')).toBeNull()
  })

  test('that is an error is JSON of error and message alone', async () => {
    for (const [status, answer] of Object.entries(await everyAnswer())) {
      if (Number(status) < 400) continue
      expect(answer.header('content-type')).toStartWith('application/json')
      expect(Object.keys(answer.body as object)).toEqual(
        expect.not.arrayContaining([expect.not.stringMatching(/^(error|message)$/)]),
      )
    }
  })

  test('can be read by pages of every origin, without credentials', async () => {
    for (const answer of Object.values(await everyAnswer())) {
      expect(answer.header('access-control-allow-origin')).toBe('*')
      expect(answer.header('access-control-allow-credentials')).toBeNull()
      expect(answer.header('access-control-expose-headers')).toBe(
        'RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, Deprecation, Link',
      )
    }
  })
})

describe('a page', () => {
  test('keeps the policy it has set itself', async () => {
    const { header } = await openHttp().get('/app')
    expect(header('content-security-policy')).not.toBe("default-src 'none'")
    expect(header('content-security-policy')).toContain("'self'")
  })
})

describe('what is not there', () => {
  test.each([
    ['GET', '/nothing'],
    ['GET', '/auth/login'],
    ['PUT', '/auth/login'],
    ['DELETE', '/'],
    ['PATCH', '/i18n'],
    ['POST', '/'],
    ['POST', '/health'],
    ['GET', '/checkout'],
    ['GET', '/webhook/stripe'],
    ['POST', '/webhook/other'],
    ['GET', '/languages/'],
    ['GET', '/Languages'],
    ['GET', '//languages'],
    ['GET', '/%6canguages'],
    ['GET', '/auth'],
    ['GET', '/constructor'],
    ['GET', '/__proto__'],
    ['GET', `/${'x'.repeat(8000)}`],
    ['GET', '/%00'],
    ['GET', '/%ff%fe'],
  ])('%s %s is 404', async (method, path) => {
    expect(await openHttp().send(method, path)).toMatchObject(answers(404, 'Endpoint not found'))
  })
})

describe('HEAD', () => {
  test.each(['/', '/health', '/languages', '/i18n', '/nothing', '/app', '/auth/login'])(
    '%s is answered as GET, without the body',
    async (path) => {
      const http = openHttp()
      const [got, head] = [await http.get(path), await http.send('HEAD', path)]
      expect(head).toMatchObject({ status: got.status, text: '' })
      expect(head.header('content-type')).toBe(got.header('content-type'))
      expect(head.header('content-length')).toBe(String(Buffer.byteLength(got.text)))
    },
  )

  test('of what the client has already says so, without a length', async () => {
    const http = openHttp()
    const etag = (await http.get('/docs')).header('etag') ?? ''
    const head = await http.send('HEAD', '/docs', { headers: { 'if-none-match': etag } })
    expect(head).toMatchObject({ status: 304, text: '' })
    expect(head.header('content-length')).toBeNull()
  })
})

describe('a fault', () => {
  test.each([
    ['an error', FAULT],
    ['a string', 'ada@example.com 012345'],
    ['null', null],
    ['undefined', undefined],
    [
      'an answer in disguise',
      { status: 200, response: 'secret', toResponse: () => new Response('x') },
    ],
  ])('in the shape of %s is 500 with the id under which the log has it', async (_, fault) => {
    const http = openBroken(fault)

    const answer = await http.get(`/auth/check?email=${EMAIL}`)

    const id = answer.header('x-request-id')
    expect(answer).toMatchObject(answers(500, 'Internal server error', `Request ${id}`))
    const [line] = http.ports.log.lines.filter(({ level }) => level === 'error')
    expect(line?.fields).toMatchObject({ request: id })
  })

  test('leaves its stack in the log, and nothing private', async () => {
    const http = openBroken()
    await http.get(`/auth/check?email=${EMAIL}`)
    const [line] = http.ports.log.lines.filter(({ level }) => level === 'error')
    expect(line?.fields['error']).toBe('Error: disk I/O error near … …')
    expect(line?.fields['stack']).toContain('handler.test.ts')
  })
})

describe('the access log', () => {
  test('has one line for each request: method, path without query, status, duration, id', async () => {
    let ms = 0
    const http = openHttp({ monotonicMs: () => ms })
    const { findByEmail } = http.ports.access
    http.ports.access.findByEmail = (...parameters) => {
      ms += 25.4
      // However long it took, by a clock that is set back it would be less than nothing.
      http.ports.clock.advance(-7_200_000)
      return findByEmail(...parameters)
    }

    const checked = await http.get(`/auth/check?email=${EMAIL}`)

    expect(http.ports.log.lines).toEqual([
      {
        level: 'info',
        event: 'http.request',
        fields: {
          method: 'GET',
          path: '/auth/check',
          status: 200,
          ms: 25,
          request: checked.header('x-request-id'),
        },
      },
    ])
  })

  test.each([
    ['GET', '/health', '/health', 200],
    ['HEAD', '/ready', '/ready', 200],
    ['GET', '/app', '/app', 200],
    ['GET', '/openapi.json', '/openapi.json', 200],
    ['GET', '/assets/nothing', '/assets/*', 404],
    ['POST', '/health', '/health', 404],
    ['POST', '/webhook/stripe', '/webhook/stripe', 400],
    ['GET', '/webhook/payment', '/webhook/payment', 404],
    ['OPTIONS', '/auth/login', '/auth/login', 204],
    ['GET', '/languages', '/languages', 429],
    ['GET', '/nothing', null, 429],
  ])(
    'counts, by path and status, what no limit bounds and what one refuses: %s %s',
    async (method, target, path, status) => {
      const limiters = { general: countingLimiter(0), auth: null, premium: null }
      const http = openHttp({ limiters })
      const headers = method === 'OPTIONS' ? PREFLIGHT : {}
      expect(await http.send(method, target, { headers })).toMatchObject({ status })
      expect(http.ports.log.lines).toEqual([
        { level: 'info', event: 'http.requests_counted', fields: { path, status } },
      ])
    },
  )

  test('has a line for each notification that is signed, and for every 5xx', async () => {
    const signed = { 'stripe-signature': 'valid' }
    const notification = { eventId: 'evt_1', eventType: 'x', kind: 'other' }
    const http = openHttp({ stopping: AbortSignal.abort() })
    await http.post('/webhook/stripe', notification, signed)
    http.ports.payments.outage = true
    const hint = { ...notification, kind: 'refund_hint', paymentIntentId: 'pi_1' }
    await http.post('/webhook/payment', hint, signed)
    await http.get('/ready')
    const requests = http.ports.log.lines.filter(({ event }) => event === 'http.request')
    expect(requests.map(({ fields }) => [fields['path'], fields['status']])).toEqual([
      ['/webhook/stripe', 200],
      ['/webhook/payment', 503],
      ['/ready', 503],
    ])
    for (const { fields } of requests) expect(fields['request']).toMatch(UUID_V7)
  })

  test.each([
    ['/nothing/ada@example.com', null],
    ['/assets/ada@example.com', '/assets/*'],
    ['/auth/login/012345', '/auth/*'],
    ['/auth/login', '/auth/login'],
    ['/', '/'],
  ])('says of %s only what is ours: %p', async (path, logged) => {
    const http = openHttp()
    await http.get(path)
    expect(http.ports.log.lines.at(-1)?.fields).toMatchObject({ path: logged })
  })

  test('holds no code, token, address or query, and no error body does', async () => {
    const http = openHttp()
    await http.givePremium()
    const code = await http.mailCode()
    const token = await http.tokenOf()
    const secrets = [code, token, EMAIL, encodeURIComponent(EMAIL), WRONG_CODE, '192.0.2.1']
    const authorization = `Bearer ${token}`

    const errors = [
      await http.post('/auth/login', { email: EMAIL, code: WRONG_CODE }),
      await http.post('/auth/login', { email: EMAIL, code: [code] }),
      await http.post(`/auth/login/${code}`, { email: EMAIL, code }),
      await http.send('POST', '/auth/login', {
        body: `{"email":"${EMAIL}","code":"${code}"`,
        headers: { 'content-type': 'application/json' },
      }),
      await http.post('/checkout', { email: EMAIL }),
      await http.get(`/${token}?code=${code}&email=${EMAIL}`, { authorization }),
      await http.post('/webhook/stripe', { email: EMAIL, code }, { 'stripe-signature': token }),
      await http.get('/i18n', { authorization: `${authorization}x` }),
    ]
    await http.post('/auth/login', { email: EMAIL, code })
    await http.get(`/auth/check?email=${encodeURIComponent(EMAIL)}`)
    await http.get('/premium-reasons', { authorization })

    for (const secret of secrets) {
      for (const { text } of errors) expect(text).not.toContain(secret)
      expect(JSON.stringify(http.ports.log.lines)).not.toContain(secret)
    }
  })
})

test.each([
  ['/nothing', null, 404],
  ['/pay/ada@example.com', null, 404],
  ['/asset/012345', null, 404],
] as const)(
  'the access log says of %s neither more nor another status than was answered',
  async (path, logged, status) => {
    const http = openHttp()
    await http.get(path)
    expect(http.ports.log.lines.at(-1)?.fields).toMatchObject({ path: logged, status })
  },
)
test('a request that makes no sense and is one too many is 429, as any other', async () => {
  const answer = await openHttp({
    limiters: { general: countingLimiter(0), auth: null, premium: null },
  }).handler({ url: 'http://[', method: 'GET', headers: new Headers() } as Request, () => null)
  expect(answer.status).toBe(429)
})

test('the app is asked for by the first request that it has to answer, and made once', async () => {
  const { options } = openHttp()
  const app = lateApp(options)
  let asked = 0
  const handler = createHandler(options, () => {
    asked++
    return app()
  })
  const get = async (path: string) =>
    (await handler(new Request(`http://localhost${path}`), () => null)).status
  expect([await get('/health'), await get('/languages'), asked]).toEqual([200, 200, 0])
  expect([await get('/'), await get('/ready'), await get('/nothing')]).toEqual([200, 200, 404])
  expect(asked).toBeGreaterThan(0)
  expect(app()).toBe(app())
})
