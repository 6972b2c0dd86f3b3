import { describe, expect, test } from 'bun:test'
import {
  DEFAULT_LANGUAGE,
  findLanguage,
  LANGUAGES,
  matchLanguage,
  textDirection,
} from '../../domain/language.ts'

describe('languages', () => {
  test('the fifteen languages come in the promised order, English by default', () => {
    expect(LANGUAGES.join(' ')).toBe('en fr es de it pt nl pl ru ja zh ar hi tr sv')
    expect(DEFAULT_LANGUAGE).toBe('en')
  })

  test.each([...LANGUAGES])('%s is found by itself, in any case and with a region', (language) => {
    for (const tag of [language, language.toUpperCase(), `${language}-XX`, `${language}_XX`]) {
      expect(matchLanguage(tag)).toBe(language)
      expect(findLanguage(tag)).toBe(language)
    }
  })

  test.each([
    ['pt-BR', 'pt'],
    ['PT_br', 'pt'],
    ['zh-Hant-TW', 'zh'],
    ['sR-Latn', 'en'],
    [' fr ', 'fr'],
    ['en-GB-oxendict', 'en'],
    ['fra', 'en'],
    ['f', 'en'],
    ['-fr', 'en'],
    ['x-fr', 'en'],
    ['*', 'en'],
    ['constructor', 'en'],
    ['fr\0', 'en'],
    ['ſv', 'en'],
    ['', 'en'],
  ])('%j is answered in %s', (tag, language) => {
    expect(matchLanguage(tag) as string).toBe(language)
  })

  test('no tag at all is answered in English', () => {
    expect(matchLanguage(null)).toBe('en')
    expect(matchLanguage(undefined)).toBe('en')
  })

  test('a language that Alibi does not speak is distinguished from English', () => {
    expect(findLanguage('eo')).toBeNull()
    expect(findLanguage('')).toBeNull()
  })

  test('only Arabic is written from right to left', () => {
    expect(LANGUAGES.filter((language) => textDirection(language) === 'rtl')).toEqual(['ar'])
  })
})
