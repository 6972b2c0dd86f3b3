import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MINUTE_MS } from '../../domain/duration.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { CHALLENGE, OTHER_VERIFIER, VERIFIER } from '../support/proof-key.ts'
import { PLACES, type ServicePlace } from '../support/service/places.ts'
import { buyerSetup } from '../support/service/real-buyer.ts'
import { serviceSetup } from '../support/service/real-service.ts'
import { SERVER_ERROR } from '../support/stripe-double/faults.ts'

const NOT_VERIFIED = answers(
  403,
  'Email not verified',
  'Please verify your email with OTP code before purchasing',
)

/** All that is in the folder of a database file, as far as there is one. */
function filesBeside({ path }: ServicePlace): readonly string[] {
  if (path === null) return []
  const folder = dirname(path)
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
}

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openService = serviceSetup(openPlace)

  const openBuyer = buyerSetup(openPlace)

  describe('an address that is not verified', () => {
    test('cannot check out, whatever else it asked for', async () => {
      const service = await openService()
      expect(await service.post('/checkout', { email: EMAIL })).toMatchObject(NOT_VERIFIED)
      const code = await service.mailCode()
      expect(await service.post('/checkout', { email: EMAIL })).toMatchObject(NOT_VERIFIED)
      await service.post('/auth/login', { email: EMAIL, code })
      expect(await service.post('/checkout', { email: EMAIL })).toMatchObject(NOT_VERIFIED)
    })

    test('gets that refusal even when it has premium', async () => {
      const service = await openService()
      await service.givePremium()
      expect(await service.post('/checkout', { email: EMAIL })).toMatchObject(NOT_VERIFIED)
    })
  })

  describe('a verified address', () => {
    test('stays so for 30 minutes and not a millisecond longer, also over a restart', async () => {
      const service = await openService()
      await service.verify(EMAIL)
      service.clock.advance(30 * MINUTE_MS - 1)
      expect((await service.openProcess().post('/checkout', { email: EMAIL })).status).toBe(200)
      service.clock.advance(1)
      expect(await service.post('/checkout', { email: EMAIL })).toMatchObject(NOT_VERIFIED)
    })

    test('verifies no address that only looks alike', async () => {
      const service = await openService()
      await service.verify('ada+tag@example.com')
      for (const email of [EMAIL, 'a.da+tag@example.com', 'ada+tag@example.com.co']) {
        expect(await service.post('/checkout', { email })).toMatchObject(NOT_VERIFIED)
      }
      expect((await service.post('/checkout', { email: ' ADA+Tag@example.com' })).status).toBe(200)
    })
  })

  describe('premium', () => {
    test('comes from the webhook alone, without the success page', async () => {
      const { double, service, hasPremium, sessionId } = await openBuyer()
      expect(await hasPremium()).toBe(false)
      for (const event of double.pay(sessionId)) await service.deliver(event)
      expect(await hasPremium()).toBe(true)
    })

    test('comes from the success page alone, without the webhook, for the buyer and no address in the query', async () => {
      const { double, service, hasPremium, sessionId } = await openBuyer()
      double.pay(sessionId, { email: 'typed@example.com' })
      const page = await service.get(
        `/payment/success?session_id=${sessionId}&email=eve@example.com&lang=fr`,
      )
      expect(page).toMatchObject({ status: 200 })
      expect(page.header('content-language')).toBe('fr')
      expect(await hasPremium()).toBe(true)
      for (const email of ['typed@example.com', 'eve@example.com']) {
        expect(await service.hasPremium(email)).toBe(false)
      }
    })

    test('does not come from the cancel page, nor from a success page before the payment', async () => {
      const { service, hasPremium, sessionId } = await openBuyer()
      expect((await service.get(`/payment/cancel?session_id=${sessionId}`)).status).toBe(200)
      expect((await service.get(`/payment/success?session_id=${sessionId}`)).status).toBe(200)
      expect(await hasPremium()).toBe(false)
    })
  })

  describe('a buyer who comes back within the half hour', () => {
    test('logs in without another code, in the browser that proved the address and in no other', async () => {
      const { double, service, sessionId } = await openBuyer()
      const code = await service.mailCode()
      const proof = { email: EMAIL, code, codeChallenge: CHALLENGE }
      await service.post('/auth/confirm-email', proof)
      const logIn = (codeVerifier: string) =>
        service.openProcess().post('/auth/token', { email: EMAIL, codeVerifier })
      expect(await logIn(VERIFIER)).toMatchObject(
        answers(403, 'Premium access required', 'You must purchase premium access to log in'),
      )
      for (const event of double.pay(sessionId)) await service.deliver(event)

      expect(await logIn(OTHER_VERIFIER)).toMatchObject(
        answers(
          403,
          'Email not verified',
          'Please verify your email with OTP code before logging in',
        ),
      )
      const { body } = await logIn(VERIFIER)
      expect(body).toEqual({ success: true, token: expect.any(String), email: EMAIL })
      const authorization = `Bearer ${(body as { token: string }).token}`
      expect((await service.get('/premium-reasons', { authorization })).status).toBe(200)
    })
  })

  describe('the success page', () => {
    test.each<[string, number, string, (buyer: Awaited<ReturnType<typeof openBuyer>>) => unknown]>([
      ['paid', 200, 'active', ({ double, sessionId }) => double.pay(sessionId)],
      ['still open', 200, 'processing', () => {}],
      ['on its way', 200, 'processing', ({ double, sessionId }) => double.payLate(sessionId)],
      ['declined', 200, 'processing', ({ double, sessionId }) => double.decline(sessionId)],
      ['expired', 200, 'unpaid', ({ double, sessionId }) => double.expire(sessionId)],
      [
        'failed late',
        200,
        'unpaid',
        ({ double, sessionId }) => [double.payLate(sessionId), double.lateFail(sessionId)],
      ],
      [
        'unreachable',
        503,
        'unavailable',
        ({ double }) => double.fault(SERVER_ERROR, { times: 10 }),
      ],
    ])('of a payment that is %s answers %d and says %s', async (_, status, state, happen) => {
      const buyer = await openBuyer()
      happen(buyer)
      const page = await buyer.service.get(`/payment/success?session_id=${buyer.sessionId}`)
      expect(page.status).toBe(status)
      expect(page.text).toContain(`data-state="${state}"`)
      expect(page.header('cache-control')).toBe('no-store')
      expect(page.header('referrer-policy')).toBe('no-referrer')
      expect(page.header('x-robots-tag')).toBe('noindex')
      for (const secret of [EMAIL, buyer.sessionId, buyer.purchaseId, '4.00', '4,00', '400']) {
        expect(page.text).not.toContain(secret)
      }
    })

    test('does not ask the provider about what the database knows to be paid', async () => {
      const { double, service, sessionId } = await openBuyer()
      for (const event of double.pay(sessionId)) await service.deliver(event)
      double.fault(SERVER_ERROR, { times: 10 })
      const before = double.count()
      const page = await service.get(`/payment/success?session_id=${sessionId}`)
      expect(page).toMatchObject({ status: 200 })
      expect(page.text).toContain('data-state="active"')
      expect(double.count()).toBe(before)
    })

    test.each([
      '',
      '?session_id=',
      '?session_id=x',
      '?session_id={CHECKOUT_SESSION_ID}',
      '?session_id=cs_a/b',
    ])('without a session that could be one is 400: %p', async (query) => {
      const { double, service } = await openBuyer()
      const before = double.count()
      expect((await service.get(`/payment/success${query}`)).status).toBe(400)
      expect(double.count()).toBe(before)
    })
  })

  describe('the database and the log', () => {
    test('hold no code, no token and no verifier in the clear after the whole way', async () => {
      const { double, service, sessionId, purchaseId } = await openBuyer()
      for (const event of double.pay(sessionId)) await service.deliver(event)
      const used = await service.mailCode()
      const { body } = await service.post('/auth/login', { email: EMAIL, code: used })
      const { token } = body as { token: string }
      await service.get('/i18n', { authorization: `Bearer ${token}` })
      const proof = { email: EMAIL, code: await service.mailCode(), codeChallenge: CHALLENGE }
      await service.post('/auth/confirm-email', proof)
      await service.post('/auth/token', { email: EMAIL, codeVerifier: VERIFIER })
      await service.post('/auth/login', { email: EMAIL, code: 'x' })
      service.clock.advance(15 * MINUTE_MS)
      const living = await service.mailCode()

      const stored = [JSON.stringify(await service.contents()), ...filesBeside(service.place)]
      expect(stored.join()).toContain(purchaseId)
      expect(stored.join()).toContain(CHALLENGE)
      // Request ids are random digits enough to hold any code by chance.
      const lines = service.ports.log.lines.map(({ event, fields: { request, ...fields } }) => [
        event,
        fields,
      ])
      const logged = JSON.stringify(lines)
      expect(logged).toContain(purchaseId)
      for (const secret of [used, living, token, token.split('.')[2]!, VERIFIER]) {
        for (const text of [...stored, logged]) expect(text).not.toContain(secret)
      }
      expect(logged).not.toContain(EMAIL)
    })
  })
})
