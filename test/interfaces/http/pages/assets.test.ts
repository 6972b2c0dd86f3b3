import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '../../../../domain/language.ts'
import { contentWith } from '../../../support/fakes.ts'
import { openHttp } from '../../../support/http/http-client.ts'
import { realContent, visitor } from '../../../support/http/page-visitor.ts'

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const TYPES = {
  '/assets/app.js': JAVASCRIPT,
  '/assets/payment.js': JAVASCRIPT,
  '/assets/docs.js': JAVASCRIPT,
  '/assets/page.css': 'text/css; charset=utf-8',
  '/assets/icon.svg': 'image/svg+xml; charset=utf-8',
  '/assets/words/ar.json': 'application/json',
}

describe.each(Object.entries(TYPES))('%s', (path, type) => {
  test('has its type, a tag that holds for every coding, and nothing from another host', async () => {
    const { status, headers, text } = await visitor().get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('etag')).toMatch(/^W\/"[0-9a-f]+"$/)
    expect(headers.get('vary')).toBe('Accept-Encoding')
    // The name of a markup language, and how a host name is read, are no addresses.
    const addressed = text.replace('http://www.w3.org/2000/svg', '').replaceAll('http://${', '')
    expect(addressed).not.toMatch(/https?:\/\/|@import|url\(|\beval\b|innerHTML|sourceMappingURL/)
  })

  test('is not sent again to a client that has it', async () => {
    const { get } = visitor()
    const etag = (await get(path)).headers.get('etag')!
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const answer = await get(path, { 'if-none-match': known })
      expect(answer.status).toBe(304)
      expect(answer.text).toBe('')
      expect(answer.headers.get('etag')).toBe(etag)
      expect(answer.headers.get('content-encoding')).toBeNull()
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })
})

test('the style sheet has no selector that browsers have given up', async () => {
  const { text } = await visitor().get('/assets/page.css')
  expect(text).toContain('inset-inline-start:')
  expect(text).not.toMatch(/-any\(/)
})

test('pages name assets by their content, and such an address may be kept for ever', async () => {
  const { get } = visitor()
  const pages = [(await get('/app')).text, (await get('/payment/cancel')).text]
  const addresses = pages.flatMap((text) =>
    Array.from(text.matchAll(/"(\/assets\/[^"]+)"/g), ([, address]) => address!),
  )
  expect(addresses.length).toBeGreaterThan(LANGUAGES.length + 3)
  for (const address of addresses) {
    const { status, headers } = await get(address)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  }
})

test('an address of another version is looked up again each time', async () => {
  const { headers } = await visitor().get('/assets/app.js?v=0')
  expect(headers.get('cache-control')).toBe('public, no-cache')
})

describe('the words of a language', () => {
  test.each(LANGUAGES.map((language) => [language] as const))(
    'are those that the page in %s brings along',
    async (language) => {
      const { get } = visitor()
      const page = (await get(`/app?lang=${language}`)).text
      const [, data] = page.match(/<script type="application\/json" id="data">(.*?)<\/script>/s)!
      const { words } = JSON.parse(data!)
      const file = JSON.parse((await get(`/assets/words/${language}.json`)).text)
      expect(file).toEqual(words)
      expect(file.send_code).toBe(realContent.in(language).strings.send_code)
      expect(file).not.toHaveProperty('mail_code_intro')
    },
  )

  test('get another address when they change', async () => {
    const { strings } = realContent.in('en')
    const addressOf = async (title: string) => {
      const content = contentWith({ strings: { ...strings, title } })
      const { text } = await visitor({ ports: { content } }).get('/app')
      return text.match(/\/assets\/words\/en\.json\?v=[0-9a-f]+/)![0]
    }
    expect(await addressOf('Haiku')).not.toBe(await addressOf('Alibi'))
  })

  test.each(['xx.json', 'EN.json', 'en', 'en.json.gz', 'constructor.json', '..%2Fapp.js', '.json'])(
    'are not there under %s',
    async (file) => {
      const { status } = await openHttp().get(`/assets/words/${file}`)
      expect(status).toBe(404)
    },
  )
})

test.each(['/assets/app.js', '/assets/payment.js'])(
  '%s asks for nothing that the phones of buyers of some years ago have not got',
  async (path) => {
    const { text } = await visitor().get(path)
    expect(text).not.toMatch(
      /\(\?<[!=]|canParse|URL\.parse|AbortSignal|groupBy|toSorted|withResolvers|structuredClone|\/v[;,)]/,
    )
  },
)
