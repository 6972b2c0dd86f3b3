import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { LANGUAGES } from '../../domain/language.ts'
import { builtInContent } from '../../infrastructure/content.ts'

const content = builtInContent()
const FOLDER = new URL('../../infrastructure/content/', import.meta.url).pathname

const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()

test('there is a file for each language and no other', () => {
  const files = LANGUAGES.map((language) => `${language}.json`)
  expect(readdirSync(FOLDER).toSorted()).toEqual(files.toSorted())
})

test('each language has words of its own', () => {
  const subtitles = LANGUAGES.map((language) => content.strings(language)['subtitle'])
  expect(new Set(subtitles).size).toBe(LANGUAGES.length)
})

describe.each([...LANGUAGES])('in %s', (language) => {
  const english = content.strings('en')
  const strings = content.strings(language)
  const reasons = content.reasons(language)

  test('the strings have the keys of the English ones, in the same order', () => {
    expect(Object.keys(strings)).toEqual(Object.keys(english))
  })

  test('every string has the placeholders of the English one', () => {
    for (const [key, text] of Object.entries(english)) {
      expect([key, placeholders(strings[key] ?? '')]).toEqual([key, placeholders(text)])
    }
  })

  test('the title, the subtitle and the button that the users were promised are there', () => {
    for (const key of ['title', 'subtitle', 'generate']) expect(strings[key]).toMatch(/\S/)
  })

  test('there are at least 20 excuses, all different and none longer than 200 characters', () => {
    expect(reasons.length).toBeGreaterThanOrEqual(20)
    expect(new Set(reasons).size).toBe(reasons.length)
    for (const reason of reasons) expect([...reason].length).toBeWithin(10, 201)
  })

  test('every text is normalised (NFC), trimmed, on one line and not empty', () => {
    for (const text of [...reasons, ...Object.values(strings)]) {
      expect(text).toBe(text.normalize('NFC').trim())
      expect(text).toMatch(/^\P{Cc}+$/u)
    }
  })
})
