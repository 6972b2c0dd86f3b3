import { describe, expect, test } from 'bun:test'
import type { RateLimiter } from '../../../../application/ports.ts'
import { Unavailable } from '../../../../application/unavailable.ts'
import { answers, EMAIL, openHttp } from '../../../support/http/http-client.ts'

/** A limiter whose database is out of reach. */
const cutOff: RateLimiter = {
  limit: 5,
  windowMs: 900_000,
  async take() {
    throw new Unavailable('storage', { cause: new Error('connection refused') })
  },
}

const openCutOff = () => openHttp({ limiters: { general: cutOff, auth: cutOff, premium: cutOff } })

describe('a request that cannot be counted', () => {
  test.each([
    ['GET', '/languages', '/languages'],
    ['GET', '/', '/'],
    ['GET', '/nothing', null],
    ['GET', `/auth/check?email=${EMAIL}`, '/auth/check'],
    ['HEAD', '/auth/check', '/auth/check'],
    ['GET', '/premium-reasons', '/premium-reasons'],
    ['GET', '/premium-reasons?lang=sv', '/premium-reasons'],
    ['GET', '/i18n', '/i18n'],
    // This one goes through the router.
    ['GET', '/i18n?lang=s%76', '/i18n'],
    ['POST', '/auth/login', '/auth/login'],
    ['POST', '/checkout', '/checkout'],
  ])('is 503, and has its line in the log: %s %s', async (method, target, path) => {
    const http = openCutOff()
    await http.givePremium()
    const authorization = `Bearer ${await http.tokenOf()}`
    http.ports.log.lines.length = 0
    const body = method === 'POST' ? JSON.stringify({ email: EMAIL, code: '012345' }) : null
    const headers = { authorization, ...(body ? { 'content-type': 'application/json' } : {}) }

    const answer = await http.send(method, target, { headers, ...(body ? { body } : {}) })

    expect(answer.status).toBe(503)
    if (method !== 'HEAD') expect(answer).toMatchObject(answers(503, 'Temporarily unavailable'))
    expect(answer.header('retry-after')).toBe('30')
    expect(answer.header('ratelimit')).toBeNull()
    expect(answer.header('ratelimit-policy')).toBeNull()
    expect(answer.header('cache-control')).toBe('no-store')
    const request = answer.header('x-request-id')
    const lines = http.ports.log.lines.filter(({ fields }) => fields['request'] === request)
    expect(lines.at(-1)).toMatchObject({
      event: 'http.request',
      fields: { method, path, status: 503 },
    })
    expect(lines.map(({ event }) => event)).toContain('provider.unavailable')
  })

  test.each([
    ['/payment/success?session_id=cs_test_1', 'text/html'],
    ['/payment/success?session_id=cs_test_1', '*/*'],
    ['/payment/cancel', 'text/html'],
  ])('is 503 as a page where a buyer looks at it: %s, %s', async (target, accept) => {
    const answer = await openCutOff().get(target, { accept })
    expect(answer.status).toBe(503)
    expect(answer.header('content-type')).toStartWith('text/html')
    expect(answer.header('retry-after')).toBe('30')
    expect(answer.text).not.toContain('Temporarily unavailable')
  })

  test.each(['/health', '/app', '/openapi.json'])(
    'is not one to %s, which no limit counts',
    async (path) => {
      expect((await openCutOff().get(path)).status).toBe(200)
    },
  )

  test('leaves no effect behind', async () => {
    const http = openCutOff()
    await http.post('/auth/verify-email', { email: EMAIL })
    expect(http.ports.mailer.mails).toEqual([])
  })
})
