import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../../../domain/duration.ts'
import { LANGUAGES } from '../../../../domain/language.ts'
import { contentWith, excuse, ORIGIN } from '../../../support/fakes.ts'
import { answers, EMAIL, openHttp } from '../../../support/http/http-client.ts'

async function openWithPremium() {
  const http = openHttp()
  await http.givePremium()
  return { ...http, authorization: `Bearer ${await http.tokenOf()}` }
}

describe.each(['/premium-reasons', '/i18n'])('GET %s', (path) => {
  test.each([undefined, '', 'Bearer', 'Bearer  ', 'Basic YWRhOnBhc3M=', 'Bearerx', 'token'])(
    'asks for a token when Authorization is %p',
    async (authorization) => {
      const http = openHttp()
      const answer = await http.get(path, authorization === undefined ? {} : { authorization })
      expect(answer).toMatchObject(answers(401, 'Missing token'))
      expect(answer.header('www-authenticate')).toBe('Bearer')
    },
  )

  test('refuses a token that is not ours, and says which challenge failed', async () => {
    const answer = await openHttp().get(path, { authorization: 'Bearer nonsense' })
    expect(answer).toMatchObject(answers(401, 'Invalid or expired token'))
    expect(answer.header('www-authenticate')).toBe('Bearer error="invalid_token"')
  })

  test('refuses an expired token', async () => {
    const http = await openWithPremium()
    http.ports.clock.advance(DAY_MS)
    expect(await http.get(path, { authorization: http.authorization })).toMatchObject(
      answers(401, 'Invalid or expired token'),
    )
  })

  test.each(['bearer', 'BEARER', 'Bearer  '])('reads the scheme written %p', async (scheme) => {
    const http = await openWithPremium()
    const authorization = `${scheme} ${await http.tokenOf()}`
    expect(await http.get(path, { authorization })).toMatchObject({ status: 200 })
  })

  test('refuses a token of an address whose premium was revoked, at once', async () => {
    const http = await openWithPremium()
    await http.ports.premiumGrants.revokeAll(EMAIL, ORIGIN)
    expect(await http.get(path, { authorization: http.authorization })).toMatchObject(
      answers(
        403,
        'Premium access required',
        'You must purchase premium access to use this feature',
      ),
    )
  })

  test.each([
    ['', 'en'],
    ['?lang=sv', 'sv'],
    ['?lang=pt-BR', 'pt'],
    ['?lang=ZH_hant', 'zh'],
    ['?lang=', 'en'],
    ['?lang=tlh', 'en'],
    ['?lang=%ff', 'en'],
    ['?lang=sv&lang=fr', 'fr'],
    ['?lang[]=sv', 'en'],
    ['?__proto__[lang]=sv', 'en'],
  ])('answers %p in %s', async (query, language) => {
    const http = await openWithPremium()
    const answer = await http.get(path + query, { authorization: http.authorization })
    expect(answer).toMatchObject({ status: 200, body: { language } })
  })

  test('does not go by Accept-Language', async () => {
    const http = await openWithPremium()
    const headers = { authorization: http.authorization, 'accept-language': 'fr' }
    expect(await http.get(path, headers)).toMatchObject({ body: { language: 'en' } })
  })
})

describe('GET /premium-reasons', () => {
  test('returns an excuse, its language and the address', async () => {
    const http = await openWithPremium()
    const { body } = await http.get('/premium-reasons?lang=sv', {
      authorization: http.authorization,
    })
    expect(body).toEqual({ reason: expect.stringMatching(/^sv /), language: 'sv', email: EMAIL })
  })

  test('gives a reader every excuse before one comes again', async () => {
    const http = await openWithPremium()
    const { authorization } = http
    const reasons: unknown[] = []
    for (let round = 0; round < 10; round += 1) {
      const { body } = await http.get('/premium-reasons', { authorization })
      reasons.push((body as { reason: string }).reason)
    }
    // There are two excuses: they have to take turns.
    expect(new Set(reasons)).toEqual(new Set(['en one', 'en two']))
    expect(reasons.slice(2)).toEqual(reasons.slice(0, 8))
  })
})

describe('GET /premium-reasons by what the excuse is for', () => {
  const tags = (occasion: string, to: string[], tone: string) => ({
    tags: { occasion: [occasion], to, tone: [tone] },
  })
  const excuses = [
    excuse('The bus.', tags('late', ['friends', 'work'], 'plain')),
    excuse('My child has my shoes.', { ...tags('late', ['work'], 'plain'), needs: ['child'] }),
    excuse('x'.repeat(61), tags('cancel', ['date'], 'formal')),
  ]

  async function ask(search: string, authorization?: string) {
    const http = await openWithPremium()
    const content = contentWith({ excuses }, http.ports.content)
    const own = openHttp({ ports: { ...http.ports, content } })
    const headers = { authorization: authorization ?? http.authorization }
    const { status, body } = await own.get(`/premium-reasons${search}`, headers)
    return { status, body: body as Record<string, unknown> }
  }

  test.each([
    ['?occasion=late&to=friends', 'The bus.', undefined],
    ['?lang=sv&to=work&without=child', 'The bus.', undefined],
    ['?without=child,pet&occasion=late', 'The bus.', undefined],
    ['?tone=formal', 'x'.repeat(61), undefined],
    ['?tone=formal&length=short&occasion=cancel', 'x'.repeat(61), ['length']],
    ['?to=friends&tone=playful', 'The bus.', ['tone']],
    [
      '?to=friends&tone=playful&occasion=cancel&length=short',
      'x'.repeat(61),
      ['length', 'tone', 'to'],
    ],
    ['?occasion=late&occasion2=cancel&to=friends', 'The bus.', undefined],
  ])('%s', async (search, reason, widened) => {
    const { status, body } = await ask(search)
    expect(status).toBe(200)
    expect(body['reason']).toBe(reason)
    expect(body['widened']).toEqual(widened)
    expect('widened' in body).toBe(widened !== undefined)
  })

  test('never lets go of what the reader lacks', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { body } = await ask('?occasion=reply&to=family&without=child')
      expect(body['reason']).not.toContain('child')
      expect(body['widened']).toEqual(['to', 'occasion'])
    }
  })

  test.each([
    '?occasion=never',
    '?occasion=',
    '?occasion=Late',
    '?occasion=late&occasion=late',
    '?to=late',
    '?to=friends,work',
    '?tone=toString',
    '?length=long',
    '?length=short&length=short',
    '?without=',
    '?without=child,',
    '?without=a b',
    `?without=${'x'.repeat(33)}`,
    `?without=${Array.from({ length: 11 }, () => 'pet').join()}`,
    '?without=pet&without=car',
  ])('refuses %s, but says nothing of it to those who may not ask', async (search) => {
    expect(await ask(search)).toMatchObject(answers(400, 'Invalid request'))
    expect(await ask(search, '')).toMatchObject(answers(401, 'Missing token'))
    const stranger = `Bearer ${await openHttp().tokenOf('bob@example.com')}`
    expect(await ask(search, stranger)).toMatchObject({ status: 403 })
  })
})

describe('GET /i18n', () => {
  test('returns the translations and the languages there are', async () => {
    const http = await openWithPremium()
    const { body } = await http.get('/i18n?lang=ar', { authorization: http.authorization })
    expect(body).toEqual({
      strings: http.ports.content.in('ar').strings,
      language: 'ar',
      supportedLanguages: [...LANGUAGES],
    })
  })
})

test('GET /i18n lists the languages that there is content in', async () => {
  const http = await openWithPremium()
  Object.assign(http.ports.content, { languages: ['en', 'fr'] })
  const { body } = await http.get('/i18n', { authorization: http.authorization })
  expect(body).toMatchObject({ supportedLanguages: ['en', 'fr'] })
})

describe('GET /languages', () => {
  test('lists the fifteen languages in their order, for anyone', async () => {
    const answer = await openHttp().get('/languages')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      languages: 'en fr es de it pt nl pl ru ja zh ar hi tr sv'.split(' '),
      default: 'en',
    })
  })
})
