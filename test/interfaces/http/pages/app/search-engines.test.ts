import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '../../../../../domain/language.ts'
import { contentWith } from '../../../../support/fakes.ts'
import { openHttp } from '../../../../support/http/http-client.ts'
import { expectDecentPage, realContent, visitor } from '../../../../support/http/page-visitor.ts'

const PUBLIC_URL = 'https://alibi.example'
const APP = `${PUBLIC_URL}/app`
const addressIn = (language: string) => `${APP}?lang=${language}`
/** Each language with the address that speaks it, then the one that speaks the visitor's. */
const ALTERNATES = [
  ...LANGUAGES.map((language) => [language, addressIn(language)] as const),
  ['x-default', APP] as const,
]

/** The value of an attribute in a page, as a browser reads it. */
function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = {
    '&amp;': '&',
    '&quot;': '"',
    '&#x27;': "'",
    '&lt;': '<',
    '&gt;': '>',
  }
  return text.replace(/&[#\w]+;/g, (entity) => characters[entity] ?? entity)
}

/** The contents of all `<meta>` elements, by their name or property. */
function metasOf(text: string): ReadonlyMap<string, readonly string[]> {
  const metas = new Map<string, string[]>()
  for (const [, name = '', content = ''] of text.matchAll(
    /<meta (?:name|property)="([^"]+)" content="([^"]*)">/g,
  )) {
    metas.set(name, [...(metas.get(name) ?? []), unescaped(content)])
  }
  return metas
}

function canonicalsOf(text: string): string[] {
  return Array.from(text.matchAll(/<link rel="canonical" href="([^"]*)">/g), ([, one]) =>
    unescaped(one!),
  )
}

function alternatesOf(text: string) {
  return Array.from(
    text.matchAll(/<link rel="alternate" hreflang="([^"]*)" href="([^"]*)">/g),
    ([, language, address]) => [language!, unescaped(address!)] as const,
  )
}

describe('/app tells search engines', () => {
  test.each(LANGUAGES.map((language) => [language] as const))(
    'in %s what it is for, in some words of its own',
    async (language) => {
      const { text } = await visitor().get(`/app?lang=${language}`)
      const { pitch, buy_hint } = realContent.in(language).strings
      const [description = '', ...others] = metasOf(text).get('description') ?? []
      expect(others).toEqual([])
      expect(description).toStartWith(pitch)
      expect(description).toEndWith(buy_hint)
      // A character of Chinese or Japanese says, and is, as much as two letters or more.
      const least = { zh: 40, ja: 60 }[language as string] ?? 70
      expect([...description].length).toBeWithin(least, 156)
    },
  )

  test.each([
    ['/app', APP],
    ['/app?lang=fr', addressIn('fr')],
    ['/app?lang=pt-BR', addressIn('pt')],
    ['/app?lang=FR&utm_source=x', addressIn('fr')],
    ['/app?lang=xx', addressIn('en')],
    ['/app?utm_source="><script>', APP],
    ['/app?session=1&x=https://evil.example', APP],
  ])('that %s is known as %s', async (path, canonical) => {
    const { text } = await visitor().get(path)
    expect(canonicalsOf(text)).toEqual([canonical])
    expect(metasOf(text).get('og:url')).toEqual([canonical])
    expect(text).not.toMatch(/utm_source|evil\.example/)
  })

  test('by whichever language it was negotiated, that it is the address for everybody', async () => {
    const { text, headers } = await visitor().get('/app', { 'accept-language': 'sv' })
    expect(headers.get('content-language')).toBe('sv')
    expect(headers.get('vary')).toContain('Accept-Language')
    expect(canonicalsOf(text)).toEqual([APP])
  })

  test.each(['/app', '/app?lang=ar'])('at %s the addresses of all languages', async (path) => {
    expect(alternatesOf((await visitor().get(path)).text)).toEqual(ALTERNATES)
  })

  test('no address of a language that is not on offer', async () => {
    const content = { ...realContent, languages: ['en', 'fr'] as const }
    const { get } = visitor({ ports: { content } })
    const alternates = alternatesOf((await get('/app')).text)
    expect(alternates.map(([language]) => language)).toEqual(['en', 'fr', 'x-default'])
    expect((await get('/sitemap.xml')).text).not.toContain('lang=de')
  })

  test("an operator's own words, escaped", async () => {
    const strings = { ...realContent.in('en').strings, pitch: 'A "fine" <haiku>.' }
    const { text } = await visitor({ ports: { content: contentWith({ strings }) } }).get('/app')
    expect(text).not.toContain('<haiku>')
    expect(metasOf(text).get('description')?.[0]).toStartWith('A "fine" <haiku>. ')
  })
})

describe('a shared link to /app', () => {
  test('has title, text and a picture that is really there', async () => {
    const { get, app } = visitor()
    const { text } = await get('/app?lang=fr')
    const metas = metasOf(text)
    const { title, subtitle } = realContent.in('fr').strings
    expect(Object.fromEntries(metas)).toMatchObject({
      'og:type': ['website'],
      'og:site_name': [title],
      'og:title': [`${title} · ${subtitle}`],
      'og:description': metas.get('description')!,
      'og:image:width': ['1200'],
      'og:image:height': ['630'],
      'og:image:alt': [`${title} · ${subtitle}`],
      'og:locale': ['fr_FR'],
      'twitter:card': ['summary_large_image'],
    })
    expect(metas.get('og:locale:alternate')).toHaveLength(LANGUAGES.length - 1)
    expect(metas.get('og:locale:alternate')).not.toContain('fr_FR')

    const picture = new URL(metas.get('og:image')![0]!)
    expect(picture.origin).toBe(PUBLIC_URL)
    const answer = await app.handle(
      new Request(`http://localhost${picture.pathname}${picture.search}`),
    )
    expect(answer.status).toBe(200)
    const { headers } = answer
    const file = Buffer.from(await answer.bytes())
    expect(file.subarray(1, 4).toString()).toBe('PNG')
    // https://www.w3.org/TR/png-3/#11IHDR
    expect([file.readUInt32BE(16), file.readUInt32BE(20)]).toEqual([1200, 630])
    expect(file.length).toBeLessThan(40_000)
    expect(headers.get('content-type')).toBe('image/png')
    expect(headers.get('content-encoding')).toBeNull()
    const known = { 'if-none-match': headers.get('etag') ?? '' }
    expect((await get(picture.pathname, known)).status).toBe(304)
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })
})

describe('INDEXING', () => {
  test('off keeps /app out of search engines, which may still read that', async () => {
    const { get } = visitor({ isIndexed: false })
    for (const path of ['/app', '/app?lang=de']) expectDecentPage(await get(path))
    const { status, text } = await get('/robots.txt')
    expect(status).toBe(200)
    expect(text).toBe('User-agent: *\nDisallow: /payment/\nDisallow: /sandbox/\n')
    expect(await openHttp({ isIndexed: false }).get('/sitemap.xml')).toMatchObject({
      status: 404,
      body: { error: 'Endpoint not found' },
    })
  })

  test('on lets them list /app, and no other page', async () => {
    const { get } = visitor()
    for (const path of ['/app', '/app?lang=ja']) {
      expectDecentPage(await get(path), { isIndexed: true })
    }
    for (const path of [
      '/payment/cancel',
      '/payment/success',
      '/payment/success?session_id=cs_1',
    ]) {
      expectDecentPage(await get(path))
    }
    expect((await openHttp().get('/docs')).header('x-robots-tag')).toBe('noindex')
  })
})

describe('/robots.txt', () => {
  test('forbids what is of no use, and says where the sitemap is', async () => {
    const { status, header, text } = await openHttp().get('/robots.txt')
    expect(status).toBe(200)
    expect(header('content-type')).toBe('text/plain; charset=utf-8')
    expect(header('x-content-type-options')).toBe('nosniff')
    expect(header('cache-control')).toBe('public, no-cache')
    expect(text.split('\n')).toEqual([
      'User-agent: *',
      'Disallow: /payment/',
      'Disallow: /sandbox/',
      '',
      `Sitemap: ${PUBLIC_URL}/sitemap.xml`,
      '',
    ])
  })
})

describe('/sitemap.xml', () => {
  test('lists every address of /app, each with those of all languages', async () => {
    const { status, header, text } = await openHttp().get('/sitemap.xml')
    expect(status).toBe(200)
    expect(header('content-type')).toBe('text/xml; charset=utf-8')
    expect(header('content-security-policy')).toStartWith("default-src 'none'")
    const entries = text.split('<url>').slice(1)
    expect(entries.map((entry) => /<loc>(.*)<\/loc>/.exec(entry)?.[1])).toEqual(
      ALTERNATES.map(([, address]) => address),
    )
    for (const entry of entries) {
      const links = entry.matchAll(/<xhtml:link rel="alternate" hreflang="(.*?)" href="(.*?)"\/>/g)
      expect(Array.from(links, ([, language, address]) => [language!, address!])).toEqual(
        ALTERNATES.map((one) => [...one]),
      )
    }
  })

  test('closes every element that it opens', async () => {
    const { text } = await openHttp().get('/sitemap.xml')
    const open: string[] = []
    for (const [, slash, name, empty] of text.matchAll(/<(\/?)([a-z:]+)[^<>]*?(\/?)>/g)) {
      if (slash) expect(open.pop()).toBe(name!)
      else if (!empty) open.push(name!)
    }
    expect(open).toEqual([])
    expect(text).not.toMatch(/&(?!(?:amp|lt|gt|quot|#x27);)/)
  })
})

describe.each(['/robots.txt', '/sitemap.xml'])('%s', (path) => {
  test('is answered to HEAD, and not sent again to a client that has it', async () => {
    const http = openHttp()
    const { header } = await http.get(path)
    expect(await http.send('HEAD', path)).toMatchObject({ status: 200, text: '' })
    const again = await http.get(path, { 'if-none-match': header('etag')! })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect((await http.post(path, {})).status).toBe(404)
  })
})
