import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '../../../../domain/language.ts'
import { acceptedLanguage, requestLanguage } from '../../../../interfaces/http/request/language.ts'

describe('acceptedLanguage', () => {
  test.each([
    [null, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['fr', 'fr'],
    ['fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5', 'fr'],
    ['en;q=0.1, sv;q=0.2', 'sv'],
    ['de;q=0.5, fr;q=0.5', 'de'],
    ['tlh, xx;q=0.9, ja;q=0.001', 'ja'],
    ['fr;q=0, de', 'de'],
    ['fr;q=0', 'en'],
    ['fr; Q=0.3 ,\tde ; q = 0.4', 'de'],
    ['fr;q=2, de;q=0.1', 'de'],
    ['fr;q=, de;q=0.1', 'de'],
    ['fr;q=-1, de;q=0.1', 'de'],
    ['fr;q=0.1234, de;q=0.1', 'de'],
    [',,;,q=1,;q', 'en'],
    ['ZH-Hant-TW', 'zh'],
  ])('reads %p as %p', (header, language) => {
    expect(acceptedLanguage(header, LANGUAGES)).toBe(language as never)
  })

  test('goes on to the next one where the operator has nothing in the first', () => {
    expect(acceptedLanguage('sv, fr;q=0.9, en;q=0.8', ['en', 'fr'])).toBe('fr')
    expect(acceptedLanguage('sv, fr;q=0.9', ['en', 'de'])).toBe('en')
  })

  // What tries every way to read one would not come to its end.
  test.each(['a;q=0.5,'.repeat(2000), 'q'.repeat(16_000), ';'.repeat(16_000)])(
    'comes to an end with a header as long as headers get: %#',
    (header) => {
      expect(acceptedLanguage(header, LANGUAGES)).toBe('en')
    },
  )
})

describe('requestLanguage', () => {
  const request = new Request('http://localhost/', { headers: { 'accept-language': 'de' } })

  test('prefers what was named to what the browser says', () => {
    expect(requestLanguage(request, { lang: 'fr', offered: LANGUAGES })).toBe('fr')
    expect(requestLanguage(request, { lang: 'tlh', offered: LANGUAGES })).toBe('en')
  })

  test('goes by the browser when nothing was named', () => {
    expect(requestLanguage(request, { lang: undefined, offered: LANGUAGES })).toBe('de')
  })
})
