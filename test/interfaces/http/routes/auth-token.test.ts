import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../../application/unavailable.ts'
import { MINUTE_MS } from '../../../../domain/duration.ts'
import { fakePorts, ORIGIN } from '../../../support/fakes.ts'
import { answers, EMAIL, openHttp, WRONG_CODE } from '../../../support/http/http-client.ts'
import { CHALLENGE, OTHER_VERIFIER, VERIFIER } from '../../../support/proof-key.ts'

const INVALID_EMAIL = answers(400, 'Invalid email')
const INVALID_REQUEST = answers(400, 'Invalid request')
const NOT_VERIFIED = answers(
  403,
  'Email not verified',
  'Please verify your email with OTP code before logging in',
)
const NO_PREMIUM = answers(
  403,
  'Premium access required',
  'You must purchase premium access to log in',
)

const NO_TEXTS = [null, 43, true, [[CHALLENGE]], { codeChallenge: CHALLENGE }]

/** A browser that proves the address, by default with a challenge, and comes back with the verifier. */
function openBrowser(ports = fakePorts()) {
  const http = openHttp({}, ports)
  return {
    ...http,
    async confirm(fields: object = { codeChallenge: CHALLENGE }) {
      const code = await http.mailCode()
      return http.post('/auth/confirm-email', { email: EMAIL, code, ...fields })
    },
    logIn: (fields: object = {}) =>
      http.post('/auth/token', { email: EMAIL, codeVerifier: VERIFIER, ...fields }),
  }
}

describe('POST /auth/confirm-email', () => {
  test('answers the same with a challenge as without one', async () => {
    for (const withPremium of [false, true]) {
      const [plain, challenged] = [openBrowser(), openBrowser()]
      for (const { givePremium } of [plain, challenged]) if (withPremium) await givePremium()
      const answer = await challenged.confirm()
      expect(answer.status).toBe(200)
      expect(answer.text).toBe((await plain.confirm({})).text)
    }
  })

  test.each([...NO_TEXTS, '', CHALLENGE.slice(1), `${CHALLENGE}=`, `${CHALLENGE.slice(1)}+`])(
    'refuses the challenge %j, and the code still counts',
    async (codeChallenge) => {
      const http = openBrowser()
      const code = await http.mailCode()
      for (const tried of [code, WRONG_CODE, 'what?']) {
        const body = { email: EMAIL, code: tried, codeChallenge }
        expect(await http.post('/auth/confirm-email', body)).toMatchObject(INVALID_REQUEST)
      }
      expect((await http.post('/auth/confirm-email', { email: EMAIL, code })).status).toBe(200)
    },
  )

  test.each([5, 'what?'])('judges the address before challenge %j', async (codeChallenge) => {
    const body = { email: 'nobody', code: WRONG_CODE, codeChallenge }
    expect(await openBrowser().post('/auth/confirm-email', body)).toMatchObject(INVALID_EMAIL)
  })
})

describe('POST /auth/token', () => {
  test('gives a token to the browser that confirmed the address, once there is premium', async () => {
    const { confirm, logIn, givePremium, tokenOf, get } = openBrowser()
    await confirm()
    expect(await logIn()).toMatchObject(NO_PREMIUM)
    await givePremium()

    const answer = await logIn({ email: ' ADA@example.com' })

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ success: true, token: await tokenOf(), email: EMAIL })
    expect(answer.header('cache-control')).toBe('no-store')
    const { token } = answer.body as { token: string }
    expect((await get('/i18n', { authorization: `Bearer ${token}` })).status).toBe(200)
  })

  test('gives one again to the same browser, for half an hour', async () => {
    const { confirm, logIn, givePremium, ports } = openBrowser()
    await givePremium()
    await confirm()
    expect((await logIn()).status).toBe(200)
    ports.clock.advance(30 * MINUTE_MS - 1)
    expect((await logIn()).status).toBe(200)
    ports.clock.advance(1)
    expect(await logIn()).toMatchObject(NOT_VERIFIED)
  })

  test('says the same whatever is wrong with the verification, with premium and without', async () => {
    for (const withPremium of [false, true]) {
      const { confirm, logIn, givePremium, tokenOf, send, ports } = openBrowser()
      if (withPremium) await givePremium()
      const said = [await logIn()]
      await confirm({})
      said.push(await logIn())
      await confirm()
      said.push(await logIn({ codeVerifier: OTHER_VERIFIER }))
      ports.clock.advance(1)
      const authorization = `Bearer ${await tokenOf()}`
      await send('POST', '/auth/logout', { headers: { authorization } })
      said.push(await logIn())
      ports.clock.advance(1)
      await confirm()
      ports.clock.advance(30 * MINUTE_MS)
      said.push(await logIn())

      for (const answer of said) {
        expect(answer).toMatchObject(NOT_VERIFIED)
        expect(answer.header('www-authenticate')).toBeNull()
        expect(answer.header('cache-control')).toBe('no-store')
      }
    }
  })

  test.each([
    ...[undefined, ...NO_TEXTS],
    ...['', VERIFIER.slice(1), 'a'.repeat(129), `${VERIFIER}+`, `${VERIFIER}\n`],
  ])('refuses the verifier %j', async (codeVerifier) => {
    const { confirm, logIn, givePremium } = openBrowser()
    await givePremium()
    await confirm()
    expect(await logIn({ codeVerifier })).toMatchObject(INVALID_REQUEST)
    expect(await logIn({ codeVerifier, email: 'nobody' })).toMatchObject(INVALID_EMAIL)
  })

  test('does not take the challenge for its verifier', async () => {
    const { confirm, logIn, givePremium } = openBrowser()
    await givePremium()
    await confirm()
    expect(await logIn({ codeVerifier: CHALLENGE })).toMatchObject(NOT_VERIFIED)
  })

  test('costs no mail, no code and no try', async () => {
    const http = openBrowser()
    await http.givePremium()
    await http.confirm()
    const code = await http.mailCode()
    for (let round = 0; round < 50; round++) {
      expect((await http.logIn()).status).toBe(200)
      expect(await http.logIn({ codeVerifier: OTHER_VERIFIER })).toMatchObject(NOT_VERIFIED)
    }
    expect(http.ports.mailer.mails).toHaveLength(2)
    expect((await http.post('/auth/login', { email: EMAIL, code })).status).toBe(200)
  })

  test('refuses a token once premium is revoked', async () => {
    const { confirm, logIn, givePremium, ports } = openBrowser()
    await givePremium()
    await confirm()
    await ports.premiumGrants.revokeAll(EMAIL, ORIGIN)
    expect(await logIn()).toMatchObject(NO_PREMIUM)
  })

  test.each(['verifications', 'access'] as const)(
    'answers 503 while the %s are out of reach',
    async (repository) => {
      const ports = fakePorts()
      const { confirm, logIn, givePremium } = openBrowser(ports)
      await givePremium()
      await confirm()
      ports[repository].findByEmail = async () => {
        throw new Unavailable('storage', { cause: new Error('locked') })
      }
      const answer = await logIn()
      expect(answer).toMatchObject(answers(503, 'Temporarily unavailable'))
      expect(answer.header('retry-after')).toBe('30')
    },
  )

  test('answers as every endpoint does when there is no body, no JSON or another method', async () => {
    const { send, post, get } = openBrowser()
    const headers = { 'content-type': 'application/json' }
    expect(await send('POST', '/auth/token')).toMatchObject(INVALID_EMAIL)
    expect(await post('/auth/token', {})).toMatchObject(INVALID_EMAIL)
    expect(await send('POST', '/auth/token', { headers, body: '{' })).toMatchObject(
      answers(400, 'Invalid JSON'),
    )
    expect(await send('POST', '/auth/token', { body: '{}' })).toMatchObject({ status: 415 })
    expect(await get('/auth/token')).toMatchObject(answers(404, 'Endpoint not found'))
  })
})
