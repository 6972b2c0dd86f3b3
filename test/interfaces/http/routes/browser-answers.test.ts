import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '../../../../domain/language.ts'
import { fakePorts } from '../../../support/fakes.ts'
import { answers, countingLimiter, openHttp } from '../../../support/http/http-client.ts'
import { realContent } from '../../../support/http/page-visitor.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** A service that takes no more requests of anyone. */
function exhausted() {
  const limiters = { general: countingLimiter(0), auth: null, premium: null }
  return openHttp({ limiters }, fakePorts({ content: realContent }))
}

describe('a buyer who comes back after too many requests', () => {
  test.each(LANGUAGES.map((language) => [language] as const))(
    'reads in %s when to come back',
    async (language) => {
      const http = exhausted()
      const headers = { ...BROWSER, 'accept-language': language }
      const answer = await http.get('/payment/success?session_id=cs_test_1', headers)
      expect(answer.status).toBe(429)
      expect(answer.header('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.header('retry-after')).toBe('873')
      expect(answer.header('ratelimit')).toBe('"general";r=0;t=873')
      expect(answer.header('cache-control')).toBe('no-store')
      const [before = '', after = ''] = realContent
        .in(language)
        .strings.error_too_many_requests.split('{duration}')
      expect(answer.text).toContain(Bun.escapeHTML(before))
      expect(answer.text).toContain(Bun.escapeHTML(after))
      expect(answer.text).toMatch(/\u206815[^\u2069]+\u2069/)
      expect(answer.text).not.toContain('Too many requests, please try again later')
    },
  )

  test('from a cancelled payment still finds the way back', async () => {
    const answer = await exhausted().get('/payment/cancel', BROWSER)
    expect(answer.status).toBe(429)
    expect(answer.text).toContain('<a class="button" href="/app">')
    expect(answer.text).toContain(realContent.in('en').strings.payment_cancel_title)
    expect(answer.text).toContain(realContent.in('en').strings.payment_cancel_text)
  })
})

test('programs are answered as everywhere', async () => {
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
    expect(await exhausted().get('/payment/success', headers)).toMatchObject({
      status: 429,
      body: { error: 'Too many requests, please try again later' },
    })
  }
})

test('only these two pages are meant', async () => {
  for (const path of ['/languages', '/payment', '/payment/success/', '/nothing']) {
    expect(await exhausted().get(path, BROWSER)).toMatchObject({
      status: 429,
      body: { error: 'Too many requests, please try again later' },
    })
  }
})

test('a fault of ours is a page that says nothing about it, and offers to try again', async () => {
  const ports = fakePorts({ content: realContent })
  ports.purchases.findBySessionId = async () => {
    throw new Error('secret detail')
  }
  const http = openHttp({}, ports)
  const answer = await http.get('/payment/success?session_id=cs_test_1', BROWSER)
  expect(answer.status).toBe(500)
  expect(answer.text).toContain(realContent.in('en').strings.payment_unavailable_title)
  expect(answer.text).toContain(realContent.in('en').strings.retry)
  expect(answer.text).not.toContain('secret')
})

test('reads the language that the address names', async () => {
  const answer = await exhausted().get('/payment/success?lang=ar', {
    ...BROWSER,
    'accept-language': 'fr',
  })
  expect(answer.text).toContain('<html lang="ar" dir="rtl">')
})
test('HEAD is answered as GET, without the page', async () => {
  const http = exhausted()
  const [got, head] = [
    await http.get('/payment/success', BROWSER),
    await http.send('HEAD', '/payment/success', { headers: BROWSER }),
  ]
  expect(head).toMatchObject({ status: got.status, text: '' })
  expect(head.header('content-type')).toBe(got.header('content-type'))
})

/** As a browser, in a language. */
const reading = (language: string) => ({ ...BROWSER, 'accept-language': language })
const open = () => openHttp({}, fakePorts({ content: realContent }))

/** `GET /` and a path that is not there, as whoever sends this Accept is answered. */
async function askBoth(method: string, headers: Record<string, string>) {
  const http = open()
  const [status, nothing] = [
    await http.send(method, '/', { headers }),
    await http.send(method, '/nothing', { headers }),
  ]
  return { status, nothing }
}

describe('a person who types an address', () => {
  test.each(LANGUAGES.map((language) => [language] as const))(
    'reads in %s that there is nothing at it, and finds the way to the app',
    async (language) => {
      const { strings } = realContent.in(language)
      for (const path of ['/nothing', '/auth/login', '/Health', '/app/', '/sandbox/nothing']) {
        const page = await open().get(path, reading(language))
        expect(page.status).toBe(404)
        expect(page.header('content-type')).toBe('text/html; charset=utf-8')
        expect(page.header('content-language')).toBe(language)
        expect(page.header('cache-control')).toBe('no-store')
        expect(page.header('content-security-policy')).toStartWith("default-src 'none'; ")
        expect(page.header('content-security-policy')).not.toContain('script-src')
        expect(page.header('x-robots-tag')).toBe('noindex')
        expect(page.text).toContain(`<h1>${Bun.escapeHTML(strings.error_not_found)}</h1>`)
        expect(page.text).toContain(`<a class="button" href="/app">${strings.open_app}</a>`)
      }
    },
  )

  test('is sent from the start to the app', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status } = await askBoth(method, reading('de'))
      expect(status).toMatchObject({ status: 303, text: '' })
      expect(status.header('location')).toBe('/app')
      expect(status.header('cache-control')).toBe('no-store')
    }
  })

  test('has the language of the address or of an earlier choice', async () => {
    const http = open()
    const named = await http.get('/nothing?lang=ar', reading('fr'))
    expect(named.text).toContain('<html lang="ar" dir="rtl">')
    const chosen = await http.get('/nothing', { ...reading('fr'), cookie: 'language=sv' })
    expect(chosen.text).toContain('<html lang="sv" dir="ltr">')
  })

  test('finds nothing of the address on the page', async () => {
    const page = await open().get('/%3Cscript%3Esecret?secret', BROWSER)
    expect(page.status).toBe(404)
    expect(page.text).not.toContain('secret')
  })
})

describe('whoever asks at the start, or for a path that is not there,', () => {
  test.each([
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
    'TEXT/HTML, */*;q=0.1',
    'text/*',
    'application/json;q=0.8, text/html;q=0.9',
    'text/html;q=0.001',
    'application/*;q=0.5, text/html;level=1',
  ])('is a person with Accept: %s', async (accept) => {
    const { status, nothing } = await askBoth('GET', { accept })
    expect(status.status).toBe(303)
    expect(nothing.header('content-type')).toBe('text/html; charset=utf-8')
  })

  test.each([
    '',
    '*/*',
    'text/html, */*',
    'text/html, application/json',
    'application/json, text/html;q=0.9',
    'application/json, text/plain, */*',
    'text/html;q=0.5, */*;q=0.8',
    'text/html;q=0, */*',
    'text/*;q=0.5, application/*;q=0.5',
    'text/html;q=x',
    'text/plain',
    'image/*',
  ])('is a program with Accept: %s', async (accept) => {
    const { status, nothing } = await askBoth('GET', { accept })
    expect(status).toMatchObject({ status: 200, body: { name: 'Alibi', status: 'running' } })
    expect(nothing).toMatchObject(answers(404, 'Endpoint not found'))
  })

  test('and does not say so, is a program', async () => {
    const { status, nothing } = await askBoth('GET', {})
    expect(status.status).toBe(200)
    expect(nothing).toMatchObject(answers(404, 'Endpoint not found'))
  })

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('and sends %s, is a program', async (method) => {
    const { status, nothing } = await askBoth(method, BROWSER)
    for (const answer of [status, nothing]) {
      expect(answer).toMatchObject(answers(404, 'Endpoint not found'))
    }
  })

  test('gets an answer that says on what it depends', async () => {
    const vary = ({ header }: { header: (name: string) => string | null }) =>
      (header('vary') ?? '').split(/, */)
    for (const headers of [BROWSER, { accept: 'application/json' }]) {
      const { status, nothing } = await askBoth('GET', headers)
      expect(vary(status)).toContain('Accept')
      expect(vary(nothing)).toContain('Accept')
    }
    const { nothing } = await askBoth('GET', BROWSER)
    expect(vary(nothing)).toContain('Accept-Language')
  })

  test('is counted as before, and past the limit gets the error', async () => {
    const limiters = { general: countingLimiter(2), auth: null, premium: null }
    const http = openHttp({ limiters }, fakePorts({ content: realContent }))
    expect((await http.get('/', BROWSER)).header('ratelimit')).toBe('"general";r=1;t=873')
    expect((await http.get('/nothing', BROWSER)).header('ratelimit')).toBe('"general";r=0;t=873')
    expect(await http.get('/nothing', BROWSER)).toMatchObject({ status: 429 })
    expect(await http.get('/', BROWSER)).toMatchObject({ status: 429 })
  })
})
