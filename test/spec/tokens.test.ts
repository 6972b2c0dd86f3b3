import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../domain/duration.ts'
import { ORIGIN } from '../support/fakes.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { CHALLENGE, VERIFIER } from '../support/proof-key.ts'
import { PLACES } from '../support/service/places.ts'
import { serviceSetup } from '../support/service/real-service.ts'

const MISSING = answers(401, 'Missing token')
const INVALID = answers(401, 'Invalid or expired token')

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openService = serviceSetup(openPlace)

  /** An address with premium that has logged in. */
  async function openLoggedIn() {
    const service = await openService()
    await service.givePremium()
    async function logIn(): Promise<string> {
      const code = await service.mailCode()
      const { body } = await service.post('/auth/login', { email: EMAIL, code })
      return (body as { token: string }).token
    }
    const read = (token: string, from: Pick<typeof service, 'get'> = service) =>
      from.get('/i18n', { authorization: `Bearer ${token}` })
    const logOut = (token: string) =>
      service.send('POST', '/auth/logout', { headers: { authorization: `Bearer ${token}` } })
    return { service, logIn, read, logOut, token: await logIn() }
  }

  describe('a token', () => {
    test('is a JWT signed with HS256 that names the address, the service and its own end', async () => {
      const { token } = await openLoggedIn()
      const [header, claims] = token
        .split('.')
        .slice(0, 2)
        .map((segment) => JSON.parse(Buffer.from(segment, 'base64url').toString()))
      expect(header).toEqual({ alg: 'HS256', typ: 'JWT' })
      expect(Object.keys(claims).toSorted()).toEqual(['email', 'exp', 'iat', 'iss', 'jti', 'sub'])
      expect(claims).toMatchObject({ sub: EMAIL, email: EMAIL, iss: 'https://alibi.example' })
    })

    test.each(['access_token', 'token', 'authorization', 'bearer', 'jwt'])(
      'is not taken from the query as %s, nor from a cookie or the body',
      async (name) => {
        const { service, token } = await openLoggedIn()
        expect(await service.get(`/premium-reasons?${name}=${token}`)).toMatchObject(MISSING)
        expect(await service.get('/i18n', { cookie: `${name}=${token}` })).toMatchObject(MISSING)
        expect(await service.post('/auth/logout', { [name]: token })).toMatchObject(MISSING)
        expect((await service.get('/i18n', { authorization: `Bearer ${token}` })).status).toBe(200)
      },
    )

    test('is not taken from two Authorization headers', async () => {
      const { service, token } = await openLoggedIn()
      const headers = new Headers({ authorization: `Bearer ${token}` })
      headers.append('authorization', `Bearer ${token}`)
      const response = await service.handler(
        new Request('http://localhost/i18n', { headers }),
        () => '192.0.2.1',
      )
      expect({ status: response.status, body: await response.json() }).toEqual(INVALID)
    })

    test('that says too much is refused before it is looked into', async () => {
      const { service } = await openLoggedIn()
      const authorization = `Bearer ${'x'.repeat(5000)}`
      expect(await service.get('/i18n', { authorization })).toMatchObject(INVALID)
    })

    test('survives a restart, and so does its end', async () => {
      const { service, read, logOut, token } = await openLoggedIn()
      expect((await read(token, service.openProcess())).status).toBe(200)
      await logOut(token)
      expect(await read(token, service.openProcess())).toMatchObject(INVALID)
    })

    test('lives as long as the operator has decided and no longer', async () => {
      const { service, read, token } = await openLoggedIn()
      service.clock.advance(DAY_MS - 1)
      expect((await read(token)).status).toBe(200)
      service.clock.advance(1001)
      const late = await read(token)
      expect(late).toMatchObject(INVALID)
      expect(late.header('www-authenticate')).toBe('Bearer error="invalid_token"')
    })

    test('opens nothing without premium, and everything the moment there is premium again', async () => {
      const { service, read, token } = await openLoggedIn()
      await service.ports.premiumGrants.revokeAll(EMAIL, ORIGIN)
      expect(await read(token)).toMatchObject({ status: 403 })
      await service.ports.premiumGrants.add({ id: 'given_again', email: EMAIL }, ORIGIN)
      expect((await read(token)).status).toBe(200)
    })
  })

  describe('logging out', () => {
    test('ends every token of the address, and a log-in in the same instant gives one that lives', async () => {
      const { service, logIn, read, logOut, token } = await openLoggedIn()
      const other = await logIn()
      expect(await logOut(token)).toMatchObject({
        status: 200,
        body: { success: true, message: expect.any(String) },
      })
      for (const ended of [token, other]) {
        expect(await read(ended)).toMatchObject(INVALID)
        expect(await logOut(ended)).toMatchObject(INVALID)
      }
      const next = await logIn()
      expect((await read(next)).status).toBe(200)
      service.clock.advance(1)
      expect((await read(next)).status).toBe(200)
    })

    test('again and again in one instant always leaves the last token alive', async () => {
      const { logIn, read, logOut, token } = await openLoggedIn()
      let last = token
      for (let round = 0; round < 3; round++) {
        await logOut(last)
        const next = await logIn()
        expect(await read(last)).toMatchObject(INVALID)
        expect((await read(next)).status).toBe(200)
        last = next
      }
    })

    test('needs no premium, and ends no other address’s tokens', async () => {
      const { service, read, logOut, token } = await openLoggedIn()
      const bob = 'bob@example.com'
      const bobs = await service.tokenOf(bob)
      expect((await logOut(bobs)).status).toBe(200)
      expect((await read(token)).status).toBe(200)
    })
  })

  describe('what must not be kept', () => {
    test('is marked so: codes, tokens and premium content', async () => {
      const service = await openService({ development: true })
      await service.givePremium()
      const mailed = await service.post('/auth/verify-email', { email: EMAIL })
      const { devCode: code } = mailed.body as { devCode: string }
      const proof = { email: EMAIL, code, codeChallenge: CHALLENGE }
      const confirmed = await service.post('/auth/confirm-email', proof)
      const back = await service.post('/auth/token', { email: EMAIL, codeVerifier: VERIFIER })
      const { token } = confirmed.body as { token: string }
      const again = await service.post('/auth/request-otp', { email: EMAIL })
      const { devCode: next } = again.body as { devCode: string }
      const loggedIn = await service.post('/auth/login', { email: EMAIL, code: next })
      const headers = { authorization: `Bearer ${token}` }
      const read = [
        await service.get('/i18n', headers),
        await service.get('/premium-reasons', headers),
      ]
      for (const answer of [mailed, confirmed, back, again, loggedIn, ...read]) {
        expect(answer.status).toBe(200)
        expect(answer.header('cache-control')).toBe('no-store')
      }
    })
  })
})
