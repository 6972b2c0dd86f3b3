import { describe, expect, test } from 'bun:test'
import { fixedClock } from '../support/fakes.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import {
  atOnce,
  countStatuses,
  openService,
  promisedLimits,
} from '../support/service/real-service.ts'

const LIMITED = answers(429, 'Too many requests, please try again later')

function openLimited() {
  const clock = fixedClock()
  return openService({ clock, limiters: promisedLimits(clock) })
}

describe('of 200 parallel requests', () => {
  test.each([
    ['general', 10, 900, '/languages'],
    ['general', 10, 900, '/nothing'],
    ['auth', 5, 900, `/auth/check?email=${EMAIL}`],
    ['premium', 30, 60, '/i18n'],
  ])('exactly as many as the %s budget of %d are accepted', async (name, limit, windowS, path) => {
    const service = openLimited()

    const got = await atOnce(200, () => service.get(path))

    const refused = got.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(200 - limit)
    for (const answer of refused) {
      expect(answer).toMatchObject(LIMITED)
      expect(answer.header('retry-after')).toBe(String(windowS))
      expect(answer.header('ratelimit')).toBe(`"${name}";r=0;t=${windowS}`)
    }
    const left = got
      .filter(({ status }) => status !== 429)
      .map((answer) => answer.header('ratelimit'))
    expect(left).toEqual(
      Array.from({ length: limit }, (_, taken) => `"${name}";r=${limit - taken - 1};t=${windowS}`),
    )

    service.clock.advance(windowS * 1000 - 1)
    expect((await service.get(path)).status).toBe(429)
    service.clock.advance(1)
    const later = await atOnce(200, () => service.get(path))
    expect(later.filter(({ status }) => status !== 429)).toHaveLength(limit)
  })

  test('to all of /auth/ exactly five are accepted, so that five codes at most are looked at', async () => {
    const service = openLimited()
    const code = await service.mailCode()
    const paths = ['/auth/login', '/auth/confirm-email', '/auth/request-otp', '/auth/nothing']

    const got = await atOnce(200, (index) =>
      service.send('POST', paths[index % 4]!, {
        peer: '192.0.2.7',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: EMAIL, code: code === '000000' ? '000001' : '000000' }),
      }),
    )

    expect(countStatuses(got)[429]).toBe(195)
  })

  test('with one token exactly 30 are accepted, from wherever they come', async () => {
    const service = openLimited()
    await service.givePremium()
    const headers = { authorization: `Bearer ${await service.tokenOf()}` }

    const got = await atOnce(200, (index) =>
      service.send('GET', index % 2 ? '/i18n' : '/premium-reasons', {
        headers,
        peer: `198.51.100.${index}`,
      }),
    )

    expect(countStatuses(got)).toEqual({ 200: 30, 429: 170 })
  })
})

describe('a token that was ended by logging out', () => {
  test('neither spends nor tells the premium budget of its address', async () => {
    const service = openLimited()
    await service.givePremium()
    const stolen = { authorization: `Bearer ${await service.tokenOf()}` }
    await service.send('POST', '/auth/logout', { headers: stolen })
    service.clock.advance(1)
    const own = { authorization: `Bearer ${await service.tokenOf()}` }

    const thief = await atOnce(200, () =>
      service.send('GET', '/i18n', { headers: stolen, peer: '203.0.113.66' }),
    )

    expect(countStatuses(thief)).toEqual({ 401: 30, 429: 170 })
    const answer = await service.get('/i18n', own)
    expect(answer.status).toBe(200)
    expect(answer.header('ratelimit')).toBe('"premium";r=29;t=60')
  })
})
