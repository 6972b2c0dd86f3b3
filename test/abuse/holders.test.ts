import { describe, expect, test } from 'bun:test'
import { DAY_MS, SECOND_MS } from '../../domain/duration.ts'
import { FIRST_EPOCH } from '../../domain/log-out.ts'
import { jwtTokens } from '../../infrastructure/secrets/jwt-tokens.ts'
import { fakePorts } from '../support/fakes.ts'
import { answers, EMAIL, openHttp } from '../support/http/http-client.ts'
import { openService, wrongCodes } from '../support/service/real-service.ts'

// What a token that has expired is worth, on every endpoint that takes one, to its owner and to nobody else.

const LIMITED = answers(429, 'Too many requests, please try again later')
const WRONG = answers(401, 'Invalid or expired code')

const OWNER = '198.51.100.7'
/** A client of an IPv4 /24 of its own. */
const inOwn24 = (number: number) => `10.${number >> 8}.${number & 255}.7`

/** A service, and as many tokens of one customer as wanted, all of which have expired. */
async function openWithTokens(count = 1) {
  const service = openService()
  await service.givePremium()
  const tokens: string[] = []
  for (let number = 0; number < count; number++) tokens.push(await service.tokenOf())
  service.clock.advance(2 * DAY_MS)

  function post(path: string, body: object, { token = '', peer = OWNER } = {}) {
    const headers = token ? { authorization: `Bearer ${token}` } : undefined
    return service.post(path, { email: EMAIL, ...body }, headers, peer)
  }
  return { post, tokens, lastCode: () => service.ports.mailer.mails.at(-1)!.code }
}

describe.each([
  ['/auth/verify-email', '/auth/confirm-email'],
  ['/auth/verify-email', '/auth/login'],
  ['/auth/request-otp', '/auth/confirm-email'],
  ['/auth/request-otp', '/auth/login'],
])('an expired token sent with %s and %s', (asking, entering) => {
  test('gets its owner a mail and in, while strangers get no more mails', async () => {
    const { post, tokens, lastCode } = await openWithTokens()
    const [token = ''] = tokens
    for (let count = 0; count < 5; count++) await post(asking, {}, { peer: inOwn24(count) })
    expect(await post(asking, {})).toMatchObject(LIMITED)

    expect((await post(asking, {}, { token })).status).toBe(200)
    const code = lastCode()
    expect(await post(entering, { code })).toMatchObject(WRONG)
    const entered = await post(entering, { code }, { token })
    expect(entered).toMatchObject({ status: 200, body: { token: expect.any(String) } })
  })

  test('makes a code that was asked for without one a wrong one', async () => {
    const { post, tokens, lastCode } = await openWithTokens()
    const [token = ''] = tokens
    await post(asking, {})
    const code = lastCode()
    expect(await post(entering, { code }, { token })).toMatchObject(WRONG)
    expect((await post(entering, { code })).status).toBe(200)
  })
})

describe('all tokens of an address', () => {
  test('have one budget of mails together', async () => {
    const { post, tokens } = await openWithTokens(6)
    for (const [number, token] of tokens.entries()) {
      const { status } = await post('/auth/verify-email', {}, { token, peer: inOwn24(number) })
      expect(status).toBe(number < 5 ? 200 : 429)
    }
  })

  test('have one code, with five tries together', async () => {
    const { post, tokens, lastCode } = await openWithTokens(6)
    await post('/auth/verify-email', {}, { token: tokens[0]! })
    const code = lastCode()
    for (const [number, wrong] of wrongCodes(code, 5).entries()) {
      await post('/auth/login', { code: wrong }, { token: tokens[number]! })
    }
    expect(await post('/auth/login', { code }, { token: tokens[5]! })).toMatchObject(WRONG)
  })
})

describe('a mailbox', () => {
  const TAGGED = EMAIL.replace('@', '+tag@')

  test('whose mails are used up by other spellings still gets those of a holder', async () => {
    const { post, tokens } = await openWithTokens()
    for (let count = 0; count < 5; count++) {
      await post('/auth/verify-email', { email: TAGGED }, { peer: inOwn24(count) })
    }
    expect(await post('/auth/verify-email', {})).toMatchObject(LIMITED)
    expect((await post('/auth/verify-email', {}, { token: tokens[0]! })).status).toBe(200)
  })

  test('is not used up by those of a holder', async () => {
    const { post, tokens } = await openWithTokens()
    for (let count = 0; count < 5; count++) {
      await post('/auth/verify-email', {}, { token: tokens[0]! })
    }
    expect((await post('/auth/verify-email', {})).status).toBe(200)
    expect((await post('/auth/verify-email', { email: TAGGED })).status).toBe(200)
  })

  test('is not what a token counts for: another spelling is another address', async () => {
    const { post, tokens } = await openWithTokens()
    for (let count = 0; count < 5; count++) {
      await post('/auth/verify-email', { email: TAGGED }, { peer: inOwn24(count) })
    }
    const asked = await post('/auth/verify-email', { email: TAGGED }, { token: tokens[0]! })
    expect(asked).toMatchObject(LIMITED)
  })
})

describe('a token', () => {
  const [today, before, never] = ['today', 'before', 'never'].map((name) => name.repeat(8))
  const issuer = 'https://alibi.example'

  test.each([
    ['signed with the secret of before', { secret: before, issuer }, 40 * DAY_MS, 200],
    ['of 90 days', { secret: today, issuer }, 90 * DAY_MS, 200],
    ['of more than 90 days', { secret: today, issuer }, 90 * DAY_MS + 2 * SECOND_MS, 429],
    ['signed with another secret', { secret: never, issuer }, DAY_MS, 429],
    ['of another issuer', { secret: today, issuer: 'https://other.example' }, DAY_MS, 429],
  ])('%s is worth that or nothing', async (_, { secret = '', issuer: its }, ageMs, status) => {
    const jwtOf = (own: { secret: string; issuer: string; previousSecret: string | null }) =>
      jwtTokens({ ...own, lifetimeMs: DAY_MS })
    const tokens = jwtOf({ secret: today!, previousSecret: before!, issuer })
    const http = openHttp({}, { ...fakePorts(), tokens })
    for (let count = 0; count < 5; count++) await http.mailCode()
    const now = new Date(http.ports.clock.now().getTime() - ageMs)
    const token = await jwtOf({ secret, previousSecret: null, issuer: its }).issue(EMAIL, {
      now,
      epoch: FIRST_EPOCH,
    })
    const headers = { authorization: `Bearer ${token}` }
    expect((await http.post('/auth/verify-email', { email: EMAIL }, headers)).status).toBe(status)
  })
})
