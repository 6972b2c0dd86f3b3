import { describe, expect, test } from 'bun:test'
import { CHOICE_STRINGS } from '../../../application/content/choice-strings.ts'
import { STRING_GROUPS } from '../../../application/content/string-catalogue.ts'
import type { StringEntry } from '../../../application/content/string-entry.ts'
import { tagStringKey } from '../../../application/content/strings.ts'
import { TAG_VALUES, TAGS } from '../../../domain/excuse.ts'

const entries: [string, StringEntry][] = Object.values(STRING_GROUPS).flatMap((group) =>
  Object.entries(group),
)

describe('the catalogue of strings', () => {
  test('has every key once, and those that the users were promised', () => {
    const keys = entries.map(([key]) => key)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.length).toBeGreaterThanOrEqual(80)
    expect(keys).toContainValues(['title', 'subtitle', 'generate'])
  })

  test('says what each string means and how long it may be', () => {
    for (const [key, { meaning, lengthMax }] of entries) {
      expect(key).toMatch(/^[a-z][a-z0-9_]*[a-z0-9]$/)
      expect([key, meaning]).toEqual([key, expect.stringMatching(/^\P{Cc}{3,}$/u)])
      expect(lengthMax).toBeWithin(20, 201)
    }
  })

  test('counts in plural strings alone, and opens with a placeholder of the string', () => {
    for (const [key, { placeholders = [], opening, plural = false }] of entries) {
      expect([key, placeholders.includes('count')]).toEqual([key, plural])
      if (opening !== undefined) expect(placeholders).toContain(opening)
    }
  })

  test('has no key that looks like a plural form of another', () => {
    const formLike = entries.filter(([key]) => /_(?:zero|one|two|few|many|other)$/.test(key))
    expect(formLike).toEqual([])
  })
})

test('every known value of what an excuse is chosen by has a name, and so has no choice', () => {
  const named = TAGS.flatMap((tag) =>
    ['label', 'any', ...TAG_VALUES[tag]].map((value) => tagStringKey(tag, value)),
  )
  expect(Object.keys(CHOICE_STRINGS).sort()).toEqual(
    [...named, 'length_short', 'choice_widened'].sort(),
  )
})
