import { describe, expect, test } from 'bun:test'
import { answers, countingLimiter, EMAIL, openHttp } from '../../../support/http/http-client.ts'

const PREFLIGHT = { origin: 'https://a.example', 'access-control-request-method': 'POST' }

describe('listed origins', () => {
  const corsOrigins = ['https://app.example', 'chrome-extension://abcdefgh']

  test.each(corsOrigins)('let %s read answers, whatever their status', async (origin) => {
    const http = openHttp({ corsOrigins })
    for (const path of ['/', '/i18n', '/nothing']) {
      const { header } = await http.get(path, { origin })
      expect(header('access-control-allow-origin')).toBe(origin)
      expect(header('vary')).toContain('Origin')
    }
  })

  test('are named in Vary once, whatever the status', async () => {
    const limiters = { general: null, auth: countingLimiter(3), premium: null }
    const http = openHttp({ corsOrigins, limiters })
    const asked = [
      await http.get('/languages'),
      await http.get('/nothing'),
      await http.get('/i18n'),
      await http.post('/auth/login', {}),
      await http.post('/auth/login', []),
      await http.post('/auth/request-otp', { email: EMAIL }),
      await http.post('/auth/login', {}),
    ]
    expect(asked.map(({ status }) => status)).toEqual([200, 404, 401, 400, 400, 403, 429])
    for (const { header } of asked) {
      const names = header('vary')?.split(', ') ?? []
      expect(names.filter((name) => name !== 'Accept')).toEqual(['Origin'])
    }
  })

  test.each([
    'https://evil.example',
    'https://app.example.evil.example',
    'http://app.example',
    'https://APP.example',
    'null',
    '*',
    '',
  ])('let nobody called %p read', async (origin) => {
    const { header } = await openHttp({ corsOrigins }).get('/', { origin })
    expect(header('access-control-allow-origin')).toBeNull()
    expect(header('vary')).toContain('Origin')
  })
})

describe('a preflight', () => {
  test.each([
    ...['/auth/verify-email', '/auth/request-otp', '/auth/confirm-email', '/auth/login'],
    ...['/i18n', '/nothing'],
  ])('of %s is answered for free', async (path) => {
    const limiters = {
      general: countingLimiter(0),
      auth: countingLimiter(0),
      premium: countingLimiter(0),
    }
    const answer = await openHttp({ limiters }).send('OPTIONS', path, { headers: PREFLIGHT })
    expect(answer).toMatchObject({ status: 204, text: '' })
    expect(answer.header('access-control-allow-methods')).toBe('GET, HEAD, POST')
    expect(answer.header('access-control-allow-headers')).toBe('Authorization, Content-Type')
    expect(Number(answer.header('access-control-max-age'))).toBeGreaterThan(0)
    expect(answer.header('ratelimit')).toBeNull()
  })

  test('allows a stranger nothing', async () => {
    const http = openHttp({ corsOrigins: ['https://app.example'] })
    const answer = await http.send('OPTIONS', '/auth/login', { headers: PREFLIGHT })
    expect(answer.header('access-control-allow-origin')).toBeNull()
  })

  test.each([
    [true, '*', 'true'],
    [true, ['https://a.example'], 'true'],
    [true, ['https://b.example'], null],
    [false, '*', null],
  ] as const)(
    'for a machine of one’s own is allowed in development (%p) to origins that are allowed (%p): %p',
    async (development, corsOrigins, allowed) => {
      const http = openHttp({ development, corsOrigins })
      const name = 'access-control-allow-private-network'
      const headers = { ...PREFLIGHT, 'access-control-request-private-network': 'true' }
      expect((await http.send('OPTIONS', '/auth/login', { headers })).header(name)).toBe(allowed)
      expect(
        (await http.send('OPTIONS', '/auth/login', { headers: PREFLIGHT })).header(name),
      ).toBeNull()
    },
  )

  test('is more than the method OPTIONS', async () => {
    expect(await openHttp().send('OPTIONS', '/auth/login')).toMatchObject(
      answers(404, 'Endpoint not found'),
    )
  })
})
