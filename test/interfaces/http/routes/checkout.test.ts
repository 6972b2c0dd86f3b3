import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../../../domain/duration.ts'
import { fakePorts, tinyContent } from '../../../support/fakes.ts'
import { answers, EMAIL, openHttp } from '../../../support/http/http-client.ts'
import { CHALLENGE, OTHER_VERIFIER, VERIFIER } from '../../../support/proof-key.ts'

async function openVerified(ports = fakePorts(), proof: object = {}) {
  const http = openHttp({}, ports)
  await http.post('/auth/confirm-email', { email: EMAIL, code: await http.mailCode(), ...proof })
  return http
}

const NOT_VERIFIED = answers(
  403,
  'Email not verified',
  'Please verify your email with OTP code before purchasing',
)

describe('POST /checkout', () => {
  test('returns the payment page of a verified address', async () => {
    const http = await openVerified()

    const answer = await http.post('/checkout', { email: ' ADA@example.com' })

    expect(answer.status).toBe(200)
    const [sessionId] = [...http.ports.payments.sessions.keys()]
    expect(answer.body).toEqual({
      success: true,
      checkoutUrl: `https://pay.example/${sessionId}`,
      sessionId,
    })
  })

  test.each<[string, object, string | null, string]>([
    ['its Accept-Language', {}, 'sv-SE,sv;q=0.9', 'sv'],
    ['lang before that', { lang: 'pt-BR' }, 'sv', 'pt'],
    ['a lang that we do not speak', { lang: 'xx' }, 'sv', 'en'],
    ['neither', {}, null, 'en'],
  ])(
    'remembers for the mails which language was asked for, by %s',
    async (_, body, accept, language) => {
      const http = await openVerified()
      const headers = accept === null ? {} : { 'accept-language': accept }
      await http.post('/checkout', { email: EMAIL, ...body }, headers)
      const { purchases } = await http.ports.purchases.findAccount(EMAIL)
      expect(purchases).toMatchObject([{ language }])
    },
  )

  test('remembers the first accepted language that there is content in', async () => {
    const content = { ...tinyContent(), languages: ['en', 'fr'] as const }
    const http = await openVerified(fakePorts({ content }))
    await http.post('/checkout', { email: EMAIL }, { 'accept-language': 'sv, fr;q=0.5' })
    const { purchases } = await http.ports.purchases.findAccount(EMAIL)
    expect(purchases).toMatchObject([{ language: 'fr' }])
  })

  test('refuses a language that is no text', async () => {
    const http = await openVerified()
    expect(await http.post('/checkout', { email: EMAIL, lang: 5 })).toMatchObject(
      answers(400, 'Invalid request'),
    )
  })

  test('returns the open session again', async () => {
    const http = await openVerified()
    const first = await http.post('/checkout', { email: EMAIL })
    expect((await http.post('/checkout', { email: EMAIL })).body).toEqual(first.body)
  })

  test.each([{}, { email: 5 }, { email: 'nobody' }, { email: null }])(
    'refuses the address in %j',
    async (body) => {
      expect(await openHttp().post('/checkout', body)).toMatchObject(answers(400, 'Invalid email'))
    },
  )

  test('refuses an address that is not verified, or no longer', async () => {
    const http = openHttp()
    expect(await http.post('/checkout', { email: EMAIL })).toMatchObject(NOT_VERIFIED)
    expect(http.ports.payments.calls).toEqual([])

    const verified = await openVerified()
    verified.ports.clock.advance(30 * MINUTE_MS)
    expect(await verified.post('/checkout', { email: EMAIL })).toMatchObject(NOT_VERIFIED)
  })

  test('returns the page of an address that was confirmed with a challenge to its verifier', async () => {
    const http = await openVerified(fakePorts(), { codeChallenge: CHALLENGE })
    const answer = await http.post('/checkout', { email: EMAIL, codeVerifier: VERIFIER })
    expect(answer).toMatchObject({ status: 200, body: { success: true } })
  })

  test.each([undefined, '', VERIFIER.slice(1), `${VERIFIER}\n`, 'ü'.repeat(43), OTHER_VERIFIER])(
    'refuses the verifier %j where there is a challenge, and does not look at it where there is none',
    async (codeVerifier) => {
      const challenged = await openVerified(fakePorts(), { codeChallenge: CHALLENGE })
      expect(await challenged.post('/checkout', { email: EMAIL, codeVerifier })).toMatchObject(
        NOT_VERIFIED,
      )
      expect(challenged.ports.payments.calls).toEqual([])

      const plain = await openVerified()
      expect((await plain.post('/checkout', { email: EMAIL, codeVerifier })).status).toBe(200)
    },
  )

  test.each([null, 43, true, [[VERIFIER]], { codeVerifier: VERIFIER }])(
    'refuses the verifier %j, which is no text, after the address and before anything else',
    async (codeVerifier) => {
      const http = openHttp()
      for (const proof of [null, {}, { codeChallenge: CHALLENGE }]) {
        if (proof) {
          const body = { email: EMAIL, code: await http.mailCode(), ...proof }
          await http.post('/auth/confirm-email', body)
        }
        expect(await http.post('/checkout', { email: EMAIL, codeVerifier })).toMatchObject(
          answers(400, 'Invalid request'),
        )
      }
      expect(await http.post('/checkout', { email: 'nobody', codeVerifier })).toMatchObject(
        answers(400, 'Invalid email'),
      )
    },
  )

  test('refuses an address that has premium, without asking the provider', async () => {
    const http = await openVerified()
    await http.givePremium()
    expect(await http.post('/checkout', { email: EMAIL })).toMatchObject(
      answers(409, 'Premium access already active'),
    )
    expect(http.ports.payments.calls).toEqual([])
  })

  test('refuses while a delayed payment is under way', async () => {
    const http = await openVerified()
    await http.post('/checkout', { email: EMAIL })
    const [sessionId = ''] = [...http.ports.payments.sessions.keys()]
    http.ports.payments.move(sessionId, 'processing')
    expect(await http.post('/checkout', { email: EMAIL })).toMatchObject(
      answers(409, 'Payment processing'),
    )
  })

  test('answers 503 when the provider is out of reach', async () => {
    const http = await openVerified()
    http.ports.payments.outage = true
    expect(await http.post('/checkout', { email: EMAIL })).toMatchObject(
      answers(503, 'Payment provider unavailable'),
    )
  })
})
