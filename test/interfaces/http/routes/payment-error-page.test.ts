import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '../../../../domain/language.ts'
import { fakePorts } from '../../../support/fakes.ts'
import { countingLimiter, openHttp } from '../../../support/http/http-client.ts'
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
