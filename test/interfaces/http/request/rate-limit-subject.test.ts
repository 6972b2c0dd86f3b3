import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../../application/unavailable.ts'
import { DAY_MS } from '../../../../domain/duration.ts'
import {
  answers,
  countingLimiter,
  EMAIL,
  openHttp,
  PEER,
} from '../../../support/http/http-client.ts'

const CLIENT = `${PEER}/32`
const OTHER = 'bob@example.com'
const CODE_PATHS = ['/auth/verify-email', '/auth/request-otp', '/auth/confirm-email', '/auth/login']

/** An address with a token, and the limits, which say who was counted. */
async function openLimited(limits = 100) {
  const limiters = {
    general: countingLimiter(limits),
    auth: countingLimiter(limits),
    premium: countingLimiter(limits),
    logOut: countingLimiter(limits),
    proof: countingLimiter(limits),
  }
  const http = openHttp({ limiters })
  const bearer = { authorization: `Bearer ${await http.tokenOf()}` }
  return {
    http,
    limiters,
    bearer,
    /** Everybody who was counted since the last call, in order of their first request. */
    counted() {
      const all = Object.values(limiters).flatMap(({ taken }) => [...taken.keys()])
      for (const { taken } of Object.values(limiters)) taken.clear()
      return all
    },
  }
}

describe('a request with the token of a holder', () => {
  test.each([
    ...['/', '/nothing', '/languages', '/payment/cancel', '/auth/nothing'],
    `/auth/check?email=${EMAIL}`,
  ])('is counted by the client, whose token it may not be: GET %s', async (path) => {
    const { http, bearer, counted } = await openLimited()
    await http.get(path, bearer)
    expect(counted()).toEqual([CLIENT])
  })

  test.each(['/checkout', '/auth/token', '/auth/logout'])(
    'is counted by the client, whose token it may not be: POST %s',
    async (path) => {
      const { http, bearer, counted } = await openLimited()
      await http.post(path, { email: EMAIL }, bearer)
      expect(counted()).toEqual([CLIENT])
    },
  )

  test('keeps its owner from no log-out, however much it is used, and however old it is', async () => {
    const { http, bearer, limiters, counted } = await openLimited(5)
    for (const path of ['/auth/token', '/auth/nothing', '/auth/check', ...CODE_PATHS]) {
      for (let request = 0; request < 9; request++) {
        await http.post(path, { email: EMAIL, code: '000000' }, bearer)
      }
    }
    expect(counted()).toContain(EMAIL)
    expect((await http.post('/auth/logout', undefined, bearer)).status).toBe(200)
    expect([...limiters.logOut.taken.keys()]).toEqual([CLIENT])
  })

  test.each(CODE_PATHS)(
    'is counted by the address of the token where the body names it: %s',
    async (path) => {
      const { http, bearer, counted } = await openLimited()
      for (const email of [EMAIL, ` ${EMAIL.toUpperCase()}\t`]) {
        await http.post(path, { email, code: '123456' }, bearer)
        expect(counted()).toEqual([EMAIL])
      }
      http.ports.clock.advance(90 * DAY_MS)
      await http.post(path, { email: EMAIL, code: '123456' }, bearer)
      expect(counted()).toEqual([EMAIL])
    },
  )

  test.each(CODE_PATHS)(
    'is counted by the client where the body names no address, or another: %s',
    async (path) => {
      const { http, bearer, counted } = await openLimited()
      for (const body of [{ email: OTHER }, { email: [EMAIL] }, { email: 7 }, {}, [EMAIL], null]) {
        await http.post(path, body, bearer)
        expect(counted()).toEqual([CLIENT])
      }
      const json = { ...bearer, 'content-type': 'application/json' }
      const own = JSON.stringify({ email: EMAIL })
      const odd = [
        { headers: json, body: '{' },
        { headers: json, body: '' },
        { headers: json, body: new Uint8Array([0xff]) },
        { headers: json, body: own.padEnd(70_000) },
        { headers: { ...bearer, 'content-type': 'text/plain' }, body: own },
      ]
      for (const request of odd) {
        await http.send('POST', path, request)
        expect(counted()).toEqual([CLIENT])
      }
      await http.get(path, bearer)
      expect(counted()).toEqual([CLIENT])
    },
  )

  test.each(CODE_PATHS)(
    'is counted by the client where the body breaks off, and refused for that: %s',
    async (path) => {
      const { http, bearer, counted } = await openLimited()
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.error(new Error('connection reset'))
        },
      })
      const headers = { ...bearer, 'content-type': 'application/json' }
      const answer = await http.send('POST', path, { headers, body })
      expect(answer).toMatchObject(answers(400, 'Invalid request'))
      expect(answer.header('ratelimit')).toStartWith('"auth";r=99;')
      expect(counted()).toEqual([CLIENT])
    },
  )

  test('has the limit of a client, and gets through where its client has none left', async () => {
    const { http, bearer } = await openLimited(2)
    const body = { email: EMAIL, code: '123456' }
    const confirm = (headers = {}) => http.post('/auth/confirm-email', body, headers)
    for (let request = 0; request < 2; request++) await confirm()
    expect((await confirm()).status).toBe(429)
    expect((await confirm(bearer)).status).toBe(401)
    expect(await confirm(bearer)).toMatchObject(answers(401, 'Invalid or expired code'))
    expect((await confirm(bearer)).status).toBe(429)
  })
})

describe('a bearer that is no token of the address', () => {
  test.each(CODE_PATHS)('is as none, and never why the answer is 401: %s', async (path) => {
    const { http, bearer, counted } = await openLimited()
    await http.givePremium()
    const code = await http.mailCode()
    counted()
    await http.ports.logOuts.update(EMAIL, (epoch) => (epoch + 1) as typeof epoch)
    for (const authorization of [bearer.authorization, 'Bearer forged', 'Bearer', 'Basic YTpi']) {
      await http.post(path, { email: OTHER, code }, { authorization })
      expect(counted()).toEqual([CLIENT])
    }
    const { status } = await http.post(path, { email: EMAIL, code }, bearer)
    expect(status).toBe(200)
    expect(counted()).toEqual([CLIENT])
  })
})

describe('the premium limit', () => {
  test('is that of the client where the token has expired, and the answer stays 401', async () => {
    const { http, bearer, counted } = await openLimited()
    await http.givePremium()
    http.ports.clock.advance(2 * DAY_MS)
    for (const path of ['/premium-reasons', '/i18n']) {
      expect(await http.get(path, bearer)).toMatchObject(answers(401, 'Invalid or expired token'))
    }
    expect(counted()).toEqual([CLIENT])
  })

  test("is the address's for as long as its token lives, also where tokens live shorter by now", async () => {
    const { http, bearer, counted } = await openLimited()
    const { tokens } = http.ports
    const { verify } = tokens
    tokens.verify = async (token) => {
      const claims = await verify(token)
      return claims && { ...claims, expiresAt: new Date(claims.issuedAt.getTime() + 365 * DAY_MS) }
    }
    http.ports.clock.advance(100 * DAY_MS)
    expect((await http.get('/i18n', bearer)).status).toBe(403)
    expect(counted()).toEqual([EMAIL])
    await http.get('/languages', bearer)
    expect(counted()).toEqual([CLIENT])
  })
})

describe('while the database does not answer, a request with a token is counted by the client', () => {
  const outage = new Unavailable('storage', { cause: new Error('gone') })
  const throwing = () => {
    throw outage
  }

  test.each([
    ['rejects', () => Promise.reject(outage)],
    ['throws', throwing],
  ])('where the question of access %s', async (_, findByEmail) => {
    const { http, bearer, counted } = await openLimited()
    const { tokens, access } = http.ports
    const claims = await tokens.verify(bearer.authorization.slice('Bearer '.length))
    tokens.verify = async () => claims
    access.findByEmail = findByEmail
    expect((await http.get('/languages', bearer)).status).toBe(200)
    expect((await http.get('/i18n', bearer)).status).toBe(503)
    expect(counted()).toEqual([CLIENT, CLIENT])
  })
})

test.each(CODE_PATHS)(
  'the body of a client without a token is read after the limit: %s',
  async (path) => {
    const { http, bearer } = await openLimited(0)
    let isRead = false
    const body = () =>
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            isRead = true
            controller.enqueue(new TextEncoder().encode('{}'))
            controller.close()
          },
        },
        { highWaterMark: 0 },
      )
    const headers = { 'content-type': 'application/json' }
    expect((await http.send('POST', path, { headers, body: body() })).status).toBe(429)
    expect(isRead).toBe(false)
    const withToken = { ...headers, ...bearer }
    expect((await http.send('POST', path, { headers: withToken, body: body() })).status).toBe(429)
    expect(isRead).toBe(true)
  },
)

describe('a log-in by a proof', () => {
  const codeVerifier = 'v'.repeat(43)

  async function openProven() {
    const opened = await openLimited()
    const { http, counted } = opened
    const code = await http.mailCode()
    const codeChallenge = http.ports.secrets.challengeOf(codeVerifier as never)
    await http.post('/auth/confirm-email', { email: EMAIL, code, codeChallenge })
    counted()
    return opened
  }

  test('is counted for the address alone, in a budget of its own, while the proof fits', async () => {
    const { http, limiters, counted } = await openProven()
    for (const status of [403, 200]) {
      expect((await http.post('/auth/token', { email: EMAIL, codeVerifier })).status).toBe(status)
      expect([...limiters.proof.taken.keys()]).toEqual([EMAIL])
      expect(counted()).toEqual([EMAIL])
      await http.givePremium()
    }
    http.ports.clock.advance(DAY_MS)
    await http.post('/auth/token', { email: EMAIL, codeVerifier })
    expect(counted()).toEqual([CLIENT])
  })

  test.each([
    ['of another browser', { email: EMAIL, codeVerifier: 'w'.repeat(43) }],
    ['of another address', { email: OTHER, codeVerifier }],
    ['that is none', { email: EMAIL, codeVerifier: 'short' }],
    ['without a verifier', { email: EMAIL }],
    ['without an address', { codeVerifier }],
  ])('%s counts as any other request of the client', async (_, body) => {
    const { http, limiters, counted } = await openProven()
    await http.post('/auth/token', body)
    expect([...limiters.auth.taken.keys()]).toEqual([CLIENT])
    expect(counted()).toEqual([CLIENT])
  })
})
