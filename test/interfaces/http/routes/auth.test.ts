import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../../application/unavailable.ts'
import { MINUTE_MS } from '../../../../domain/duration.ts'
import { fakePorts, tinyContent } from '../../../support/fakes.ts'
import {
  answers,
  countingLimiter,
  EMAIL,
  openHttp,
  WRONG_CODE,
} from '../../../support/http/http-client.ts'

const LIMITED = answers(429, 'Too many requests, please try again later')

describe.each(['/auth/verify-email', '/auth/request-otp'])('POST %s', (path) => {
  test('mails a code and says so, without the code', async () => {
    const http = openHttp()
    await http.givePremium()

    const answer = await http.post(path, { email: EMAIL })

    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, message: expect.any(String) },
    })
    expect(Object.keys(answer.body as object)).toEqual(['success', 'message'])
    expect(http.ports.mailer.mails).toMatchObject([{ to: EMAIL, code: '000001' }])
  })

  test('adds the code in development mode only', async () => {
    const http = openHttp({ development: true })
    await http.givePremium()

    const { body } = await http.post(path, { email: EMAIL })

    expect(body).toMatchObject({ success: true, devCode: '000001' })
  })

  test('mails to the normalised address', async () => {
    const http = openHttp()
    await http.givePremium('ada@xn--exmple-cua.com')
    await http.post(path, { email: ' ADA@Exämple.com ' })
    expect(http.ports.mailer.mails).toMatchObject([{ to: 'ada@xn--exmple-cua.com' }])
  })

  test.each([
    [{ email: EMAIL, lang: 'fr' }, 'de', 'fr'],
    [{ email: EMAIL, lang: 'PT-br' }, 'de', 'pt'],
    [{ email: EMAIL, lang: 'tlh' }, 'de', 'en'],
    [{ email: EMAIL }, 'tlh, fr;q=0.5, de;q=0.9', 'de'],
    [{ email: EMAIL }, 'tlh', 'en'],
  ])(
    'mails in the language of %j, then of Accept-Language %s',
    async (body, accepted, language) => {
      const http = openHttp()
      await http.givePremium()
      await http.post(path, body, { 'accept-language': accepted })
      expect(http.ports.mailer.mails).toMatchObject([{ language }])
    },
  )

  test('mails in the first accepted language that there is content in', async () => {
    const content = { ...tinyContent(), languages: ['en', 'fr'] as const }
    const http = openHttp({}, fakePorts({ content }))
    await http.givePremium()
    await http.post(path, { email: EMAIL }, { 'accept-language': 'sv, fr;q=0.5' })
    expect(http.ports.mailer.mails).toMatchObject([{ language: 'fr' }])
  })

  test('mails in English when the request names no language', async () => {
    const http = openHttp()
    await http.givePremium()
    await http.post(path, { email: EMAIL })
    expect(http.ports.mailer.mails).toMatchObject([{ language: 'en' }])
  })

  test.each([5, null, [['fr']], {}])('refuses lang %j and mails nothing', async (lang) => {
    const http = openHttp()
    await http.givePremium()
    expect(await http.post(path, { email: EMAIL, lang })).toMatchObject(
      answers(400, 'Invalid request'),
    )
    expect(http.ports.mailer.mails).toEqual([])
  })

  test('judges the address before the language', async () => {
    const http = openHttp()
    expect(await http.post(path, { email: 'x', lang: 5 })).toMatchObject(
      answers(400, 'Invalid email'),
    )
  })

  test('answers 429 with the time to wait after five mails', async () => {
    const http = openHttp()
    await http.givePremium()
    for (let mail = 0; mail < 5; mail++) await http.post(path, { email: EMAIL })
    http.ports.clock.advance(5 * MINUTE_MS + 1)

    const answer = await http.post(path, { email: EMAIL })

    expect(answer).toMatchObject(LIMITED)
    expect(answer.header('retry-after')).toBe('600')
  })

  test('answers 503 when the mail cannot be sent', async () => {
    const http = openHttp()
    await http.givePremium()
    http.ports.mailer.outage = true
    expect(await http.post(path, { email: EMAIL })).toMatchObject(
      answers(503, 'Email delivery unavailable'),
    )
  })
})

describe('POST /auth/request-otp', () => {
  test('is for addresses with premium only', async () => {
    const http = openHttp()
    expect(await http.post('/auth/request-otp', { email: EMAIL })).toMatchObject(
      answers(
        403,
        'Premium access required',
        'You must purchase premium access to use this feature',
      ),
    )
    expect(http.ports.mailer.mails).toEqual([])
  })
})

describe.each(['/auth/confirm-email', '/auth/login'])('POST %s', (path) => {
  const REFUSED = answers(401, 'Invalid or expired code')

  test('refuses a wrong, a malformed, a used and an expired code with one and the same answer', async () => {
    const http = openHttp()
    await http.givePremium()
    const code = await http.mailCode()

    expect(await http.post(path, { email: EMAIL, code: WRONG_CODE })).toMatchObject(REFUSED)
    expect(await http.post(path, { email: EMAIL, code: 'what?' })).toMatchObject(REFUSED)
    expect(await http.post(path, { email: EMAIL, code: '' })).toMatchObject(REFUSED)
    expect(await http.post(path, { email: EMAIL, code })).toMatchObject({ status: 200 })
    expect(await http.post(path, { email: EMAIL, code })).toMatchObject(REFUSED)

    const next = await http.mailCode()
    http.ports.clock.advance(10 * MINUTE_MS)
    expect(await http.post(path, { email: EMAIL, code: next })).toMatchObject(REFUSED)
  })

  test('reads digits of any script, with spaces and dashes', async () => {
    const http = openHttp()
    await http.givePremium()
    await http.mailCode()
    expect(await http.post(path, { email: EMAIL, code: '٠٠٠-٠٠ ١' })).toMatchObject({ status: 200 })
  })

  test.each([undefined, null, 123456, [['000001']], {}])(
    'refuses the shape of code %j',
    async (code) => {
      const http = openHttp()
      expect(await http.post(path, { email: EMAIL, code })).toMatchObject(
        answers(400, 'Invalid request'),
      )
    },
  )

  test.each([undefined, 5, 'what?'])('judges the address before code %j', async (code) => {
    const http = openHttp()
    expect(await http.post(path, { email: 'nobody', code })).toMatchObject(
      answers(400, 'Invalid email'),
    )
  })

  test('answers 429 with the time to wait after a day of wrong tries', async () => {
    const http = openHttp()
    for (let round = 0; round < 8; round++) {
      await http.mailCode()
      for (let attempt = 0; attempt < 5; attempt++) {
        await http.post(path, { email: EMAIL, code: WRONG_CODE })
      }
      http.ports.clock.advance(16 * MINUTE_MS)
    }

    const answer = await http.post(path, { email: EMAIL, code: await http.mailCode() })

    expect(answer).toMatchObject(LIMITED)
    expect(answer.header('retry-after')).toBe(String((24 * 60 - 8 * 16) * 60))
  })
})

describe('POST /auth/confirm-email', () => {
  test('verifies the address and returns it', async () => {
    const http = openHttp()
    const code = await http.mailCode()

    const answer = await http.post('/auth/confirm-email', { email: 'ADA@example.com', code })

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ success: true, message: expect.any(String), email: EMAIL })
    expect(await http.post('/checkout', { email: EMAIL })).toMatchObject({ status: 200 })
  })

  test('returns a token where the address has premium', async () => {
    const http = openHttp()
    await http.givePremium()
    const code = await http.mailCode()

    const { body } = await http.post('/auth/confirm-email', { email: EMAIL, code })

    expect(body).toMatchObject({ success: true, token: await http.tokenOf() })
  })
})

describe('POST /auth/login', () => {
  test('trades a code for a token', async () => {
    const http = openHttp()
    await http.givePremium()
    const code = await http.mailCode()

    const answer = await http.post('/auth/login', { email: EMAIL, code })

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ success: true, token: await http.tokenOf(), email: EMAIL })
  })

  test('refuses an address without premium, once the code was right', async () => {
    const http = openHttp()
    const code = await http.mailCode()
    expect(await http.post('/auth/login', { email: EMAIL, code: WRONG_CODE })).toMatchObject({
      status: 401,
    })
    expect(await http.post('/auth/login', { email: EMAIL, code })).toMatchObject(
      answers(403, 'Premium access required', 'You must purchase premium access to log in'),
    )
  })
})

describe('legacy endpoints', () => {
  test.each(['/auth/request-otp', '/auth/login'])('%s says so, on errors too', async (path) => {
    const http = openHttp()
    const outage = new Unavailable('storage', { cause: new Error('gone') })
    const auth = { ...countingLimiter(1), take: () => Promise.reject(outage) }
    for (const answer of [
      await openHttp({ limiters: { general: null, auth, premium: null } }).post(path, {}),
      await http.post(path, { email: EMAIL, code: WRONG_CODE }),
      await http.post(path, { email: 'nobody' }),
      await http.send('POST', path, { body: '{', headers: { 'content-type': 'text/plain' } }),
      await http.get(path),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.header('deprecation')).toBe('@1795219200')
      expect(answer.header('link')).toBe('</auth/verify-email>; rel="successor-version"')
    }
  })

  test.each(['/auth/verify-email', '/auth/confirm-email', '/auth/logout', '/'])(
    '%s is not deprecated',
    async (path) => {
      const answer = await openHttp().post(path, {})
      expect(answer.header('deprecation')).toBeNull()
      expect(answer.header('link')).toBeNull()
    },
  )
})

describe('POST /auth/logout', () => {
  test('ends every token of the address, premium or not', async () => {
    const http = openHttp()
    const authorization = `Bearer ${await http.tokenOf()}`

    const answer = await http.send('POST', '/auth/logout', { headers: { authorization } })

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ success: true, message: expect.any(String) })
    expect(await http.get('/i18n', { authorization })).toMatchObject(
      answers(401, 'Invalid or expired token'),
    )
  })

  test('does not mind what the body holds', async () => {
    const http = openHttp()
    const authorization = `Bearer ${await http.tokenOf()}`
    const answer = await http.send('POST', '/auth/logout', {
      headers: { authorization },
      body: 'x',
    })
    expect(answer.status).toBe(200)
  })
})

describe('GET /auth/check', () => {
  test('says whether an address has premium', async () => {
    const http = openHttp()
    const path = '/auth/check?email=ADA%40example.com'
    expect(await http.get(path)).toMatchObject({
      status: 200,
      body: { email: EMAIL, hasPremium: false },
    })
    await http.givePremium()
    expect((await http.get(path)).body).toEqual({ email: EMAIL, hasPremium: true })
  })

  test.each([
    '',
    '?email=',
    '?email=nobody',
    '?email[]=ada@example.com',
    '?email=%ff',
    '?__proto__=1',
  ])('refuses the query %p', async (query) => {
    expect(await openHttp().get(`/auth/check${query}`)).toMatchObject(answers(400, 'Invalid email'))
  })
})
