import { describe, expect, test } from 'bun:test'
import { STRING_GROUPS, type StringEntry } from '../../../application/content/string-catalogue.ts'

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
