import { expect, test } from 'bun:test'
import { pageLanguage, queryOf } from '../../../../interfaces/http/routes/page-language.ts'
import { visitor } from '../../../support/http/page-visitor.ts'

function languageOf(path: string, headers: Record<string, string>) {
  const request = new Request(`http://localhost${path}`, { headers })
  const asked = { headers: request.headers, query: queryOf(request) }
  return pageLanguage(asked, ['en', 'fr', 'ar', 'ja'])
}

test.each([
  ['/app', {}, 'en'],
  ['/app', { 'accept-language': 'fr' }, 'fr'],
  ['/app', { 'accept-language': 'fr', cookie: 'language=ar' }, 'ar'],
  ['/app', { cookie: 'a=b; language=ja; c=d' }, 'ja'],
  ['/app?lang=en', { 'accept-language': 'fr', cookie: 'language=ar' }, 'en'],
  ['/app?lang=xx', { cookie: 'language=ar' }, 'en'],
  ['/app', { 'accept-language': 'fr', cookie: 'language=sv' }, 'fr'],
  ['/app', { 'accept-language': 'fr', cookie: 'language=' }, 'fr'],
  ['/app', { 'accept-language': 'fr', cookie: 'language="><script>' }, 'fr'],
  ['/app', { 'accept-language': 'fr', cookie: 'language=%E0%A4%A' }, 'fr'],
  ['/app', { 'accept-language': 'fr', cookie: `language=${'a'.repeat(8000)}` }, 'fr'],
  ['/app', { 'accept-language': 'fr', cookie: 'xlanguage=ar' }, 'fr'],
])('%s with %p is in %s', (path, headers, language) => {
  expect(languageOf(path, headers as Record<string, string>)).toBe(language as never)
})

test('the language that was chosen holds for all pages, and caches are told', async () => {
  const { get } = visitor()
  for (const path of ['/app', '/payment/cancel', '/payment/success']) {
    const { headers, text } = await get(path, { cookie: 'language=ar', 'accept-language': 'fr' })
    expect(text).toContain('<html lang="ar" dir="rtl">')
    expect(headers.get('vary')).toContain('Cookie')
    expect(headers.get('set-cookie')).toBeNull()
  }
})
