import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../../../domain/duration.ts'
import { slidingWindowLimiter } from '../../../../infrastructure/rate-limit/sliding-window-limiter.ts'
import { fakePorts } from '../../../support/fakes.ts'
import {
  answers,
  countingLimiter,
  EMAIL,
  openHttp,
  PEER,
} from '../../../support/http/http-client.ts'

const LIMITED = answers(429, 'Too many requests, please try again later')

function openLimited() {
  const limiters = {
    general: countingLimiter(10),
    auth: countingLimiter(5),
    premium: countingLimiter(30, MINUTE_MS),
  }
  return {
    limiters,
    ...openHttp({ limiters, isTrustedProxy: (address) => address === '10.0.0.1' }),
  }
}

describe('a rate limit', () => {
  test.each([
    ['auth', 5, '/auth/check?email=x', '"auth";q=5;w=900', '"auth";r=4;t=873'],
    ['general', 10, '/nothing', '"general";q=10;w=900', '"general";r=9;t=873'],
    ['premium', 30, '/i18n', '"premium";q=30;w=60', '"premium";r=29;t=873'],
  ])(
    '%s lets %d requests through and says how it stands',
    async (_, limit, path, policy, first) => {
      const http = openLimited()
      const accepted = []
      for (let request = 0; request < limit; request++) accepted.push(await http.get(path))

      expect(accepted.map(({ status }) => status)).not.toContain(429)
      expect(accepted[0]?.header('ratelimit')).toBe(first)
      for (const answer of accepted) {
        expect(answer.header('ratelimit-policy')).toBe(policy)
        expect(answer.header('retry-after')).toBeNull()
      }

      const refused = await http.get(path)
      expect(refused).toMatchObject(LIMITED)
      expect(refused.header('ratelimit-policy')).toBe(policy)
      expect(refused.header('ratelimit')).toEndWith(';r=0;t=873')
      expect(refused.header('retry-after')).toBe('873')
    },
  )

  test('is spent by refused requests too: unknown paths, wrong methods, bad bodies', async () => {
    const http = openLimited()
    await http.get('/auth/nothing')
    await http.get('/auth/login')
    await http.send('POST', '/auth/login', { body: '{', headers: { 'content-type': 'x/y' } })
    await http.send('HEAD', '/auth/check')
    await http.send('POST', '/auth/login', { body: 'x'.repeat(70_000) })
    expect(await http.post('/auth/login', {})).toMatchObject(LIMITED)
  })

  test('is not spent by another class', async () => {
    const http = openLimited()
    for (let request = 0; request < 6; request++) await http.post('/auth/login', {})
    expect((await http.get('/')).status).toBe(200)
    expect((await http.get('/i18n')).status).toBe(401)
  })

  test('is not shared with another address', async () => {
    const http = openLimited()
    for (let request = 0; request < 10; request++) await http.get('/')
    expect((await http.get('/')).status).toBe(429)
    expect((await http.send('GET', '/', { peer: '192.0.2.2' })).status).toBe(200)
  })

  test.each([
    ['2001:db8::1', '2001:db8::ffff:1'],
    ['::ffff:192.0.2.9', '192.0.2.9'],
  ])('is one for %s and %s', async (peer, same) => {
    const http = openLimited()
    for (let request = 0; request < 10; request++) await http.send('GET', '/', { peer })
    expect((await http.send('GET', '/', { peer: same })).status).toBe(429)
  })

  test('cannot be escaped by claiming another address', async () => {
    const http = openLimited()
    for (let request = 0; request < 10; request++) {
      await http.get('/', { 'x-forwarded-for': `198.51.100.${request}` })
    }
    const headers = { 'x-forwarded-for': '198.51.100.99', 'x-real-ip': '198.51.100.99' }
    expect((await http.get('/', headers)).status).toBe(429)
  })

  test("is the client's own behind a trusted proxy", async () => {
    const http = openLimited()
    const peer = '10.0.0.1'
    const from = (address: string) =>
      http.send('GET', '/', { peer, headers: { 'x-forwarded-for': `1.1.1.1, ${address}` } })
    for (let request = 0; request < 10; request++) await from('198.51.100.1')
    expect((await from('198.51.100.1')).status).toBe(429)
    expect((await from('198.51.100.2')).status).toBe(200)
  })

  test.each([
    '/health',
    '/ready',
    '/openapi.json',
    '/app',
    '/robots.txt',
    '/sitemap.xml',
    '/docs',
    '/assets/x',
    '/sandbox/x',
  ])('is not needed at %s', async (path) => {
    const none = countingLimiter(0)
    const http = openHttp({ limiters: { general: none, auth: none, premium: none } })
    const answer = await http.get(path)
    expect(answer.status).not.toBe(429)
    expect(answer.header('ratelimit')).toBeNull()
    expect(answer.header('ratelimit-policy')).toBeNull()
  })

  test('is not needed by the payment provider', async () => {
    const none = countingLimiter(0)
    const http = openHttp({ limiters: { general: none, auth: none, premium: none } })
    for (const path of ['/webhook/stripe', '/webhook/payment']) {
      expect(await http.post(path, {})).toMatchObject(answers(400, 'Invalid signature'))
    }
  })

  test('that is switched off is not mentioned', async () => {
    const { header, status } = await openHttp().get('/')
    expect(status).toBe(200)
    expect(header('ratelimit')).toBeNull()
    expect(header('ratelimit-policy')).toBeNull()
  })
})

describe('the premium limit', () => {
  test("is the address's, wherever it calls from", async () => {
    const http = openLimited()
    await http.givePremium()
    const headers = { authorization: `Bearer ${await http.tokenOf()}` }
    for (let request = 0; request < 30; request++) {
      await http.send('GET', '/premium-reasons', { headers, peer: `192.0.2.${request}` })
    }
    expect((await http.send('GET', '/i18n', { headers, peer: '192.0.2.99' })).status).toBe(429)
    expect([...http.limiters.premium.taken.keys()]).toEqual([EMAIL])

    const other = { authorization: `Bearer ${await http.tokenOf('eve@example.com')}` }
    expect((await http.get('/i18n', other)).status).toBe(403)
  })

  test.each([{}, { authorization: 'Bearer nonsense' }, { authorization: `Bearer ${EMAIL}` }])(
    "is the client's without a token of ours: %j",
    async (headers: Record<string, string>) => {
      const http = openLimited()
      await http.get('/i18n', headers)
      expect([...http.limiters.premium.taken.keys()]).toEqual(['192.0.2.1/32'])
    },
  )
})

// The last goes through the router.
describe.each(['/premium-reasons', '/i18n', '/i18n?lang=s%76'])('GET %s', (path) => {
  type Http = ReturnType<typeof openHttp>

  /** Sends the token, and counts how often it is verified and its address looked up. */
  async function look(http: Http, token: string) {
    const { tokens, access } = http.ports
    const { verify } = tokens
    const { findByEmail } = access
    const looks = { verified: 0, found: 0 }
    tokens.verify = (...parameters) => {
      looks.verified++
      return verify(...parameters)
    }
    access.findByEmail = (...parameters) => {
      looks.found++
      return findByEmail(...parameters)
    }
    const { status } = await http.get(path, { authorization: `Bearer ${token}` })
    Object.assign(tokens, { verify })
    Object.assign(access, { findByEmail })
    return { status, ...looks }
  }

  test.each([
    ['limited', openLimited],
    ['unlimited', () => openHttp()],
  ])('looks at the token once when %s, whether it counts or not', async (_, open) => {
    const http: Http = open()
    await http.givePremium()
    const token = await http.tokenOf()
    expect(await look(http, token)).toEqual({ status: 200, verified: 1, found: 1 })
    expect(await look(http, 'forged')).toEqual({ status: 401, verified: 1, found: 0 })

    await http.post('/auth/logout', {}, { authorization: `Bearer ${token}` })
    expect(await look(http, token)).toEqual({ status: 401, verified: 1, found: 1 })
  })

  test('looks at every request again', async () => {
    const http = openLimited()
    await http.givePremium()
    const authorization = `Bearer ${await http.tokenOf()}`
    const request = new Request(`http://localhost${path}`, { headers: { authorization } })
    expect((await http.handler(request, () => PEER)).status).toBe(200)
    await http.post('/auth/logout', {}, { authorization })
    expect((await http.handler(request, () => PEER)).status).toBe(401)
  })

  test('answers 429 before it says what is wrong with the token', async () => {
    const none = countingLimiter(0)
    const http = openHttp({ limiters: { general: null, auth: null, premium: none } })
    for (const headers of [{}, { authorization: 'Bearer forged' }]) {
      const answer = await http.get(path, headers)
      expect(answer).toMatchObject(LIMITED)
      expect(answer.header('www-authenticate')).toBeNull()
    }
  })
})

describe('a limiter that really counts time', () => {
  test('lets the client in again exactly when it said', async () => {
    const ports = fakePorts()
    const auth = slidingWindowLimiter({
      limit: 5,
      windowMs: 900_000,
      monotonicMs: () => ports.clock.now().getTime(),
      seeds: [1, 2],
    })
    const http = openHttp({ limiters: { general: null, auth, premium: null } }, ports)
    const path = '/auth/check?email=ada@example.com'
    for (let request = 0; request < 5; request++) {
      await http.get(path)
      ports.clock.advance(10_000)
    }

    const refused = await http.get(path)
    expect(refused).toMatchObject(LIMITED)
    expect(refused.header('ratelimit')).toBe('"auth";r=0;t=850')
    const waitS = Number(refused.header('retry-after'))

    ports.clock.advance((waitS - 1) * 1000)
    expect((await http.get(path)).status).toBe(429)
    ports.clock.advance(1000)
    expect((await http.get(path)).status).toBe(200)
  })
})
