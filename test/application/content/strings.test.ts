import { describe, expect, test } from 'bun:test'
import { listKeys, STRING_ENTRIES } from '../../../application/content/strings.ts'
import { LANGUAGES } from '../../../domain/language.ts'

const isPlain = (key: string) => STRING_ENTRIES.has(key)
const formsIn = (language: (typeof LANGUAGES)[number]) =>
  listKeys(language).filter((key) => !isPlain(key))

describe('listKeys', () => {
  test('gives a counted string a key for each plural category of the language, in their order', () => {
    expect(formsIn('ja')).toEqual(['tries_left_other'])
    expect(formsIn('en')).toEqual(['tries_left_one', 'tries_left_other'])
    expect(formsIn('pl').map((key) => key.slice('tries_left_'.length))).toEqual([
      'one',
      'few',
      'many',
      'other',
    ])
    expect(formsIn('ar').map((key) => key.slice('tries_left_'.length))).toEqual([
      'zero',
      'one',
      'two',
      'few',
      'many',
      'other',
    ])
  })

  test.each([...LANGUAGES])('covers every number that can be counted in %s', (language) => {
    const rules = new Intl.PluralRules(language)
    const keys = new Set(formsIn(language))
    for (const count of [...Array.from({ length: 200 }, (_, number) => number), 1e6, 1.5]) {
      expect(keys).toContain(`tries_left_${rules.select(count)}`)
    }
  })

  test('has all other keys in every language, in the same order', () => {
    const plain = LANGUAGES.map((language) => listKeys(language).filter(isPlain))
    for (const keys of plain) expect(keys).toEqual(plain[0] ?? [])
    expect(plain[0]?.slice(0, 2)).toEqual(['title', 'subtitle'])
  })
})
