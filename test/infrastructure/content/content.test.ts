import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { describeProblem } from '../../../application/content/content-files.ts'
import { type Excuse, isShort, NEEDS, TAG_VALUES, TAGS } from '../../../domain/excuse.ts'
import { LANGUAGES } from '../../../domain/language.ts'
import { BUILT_IN_LIMITS } from '../../../infrastructure/content/check-content.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { readContentFolder } from '../../../infrastructure/content/content-folder.ts'
import { proofreadFolder } from '../../../infrastructure/content/proofreading/proofread.ts'
import { textsOf } from '../../support/fakes.ts'

const content = builtInContent()
const FOLDER = join(import.meta.dir, '../../../infrastructure/content')

describe('the built-in content', () => {
  test('is there in every language, and passes every check', () => {
    const { files, problems } = proofreadFolder(FOLDER, BUILT_IN_LIMITS)
    expect(problems.map(describeProblem)).toEqual([])
    expect(files.map(({ language }) => language)).toEqual([...LANGUAGES])
    expect(content.languages).toEqual([...LANGUAGES])
  })

  test('is what its files say, with the name of the product put in', () => {
    const { files } = readContentFolder(FOLDER, BUILT_IN_LIMITS)
    for (const { language, strings, reasons } of files) {
      const served = content.in(language)
      expect(served.language).toBe(language)
      expect(textsOf(served)).toEqual(reasons?.map(({ text }) => text) ?? [])
      const titled = [...(strings ?? [])].map(([key, { text }]) => [
        key,
        text.replaceAll('{title}', 'Alibi'),
      ])
      expect<unknown>(Object.entries(served.strings)).toEqual(titled)
    }
  })

  test('names the product in one place only, so that an operator changes it once', () => {
    const { files } = readContentFolder(FOLDER, BUILT_IN_LIMITS)
    for (const { language, strings } of files) {
      const naming = [...(strings ?? [])].filter(([, { text }]) => /alibi/i.test(text))
      expect([language, naming.map(([key]) => key)]).toEqual([language, ['title']])
    }
  })

  test('has a form of each counted string for every number, and says the number', () => {
    for (const language of LANGUAGES) {
      const { strings } = content.in(language)
      const rules = new Intl.PluralRules(language)
      for (let count = 0; count <= 200; count += 1) {
        const form = strings[`tries_left_${rules.select(count)}`]
        expect([language, count, form]).toEqual([language, count, expect.stringMatching(/\S/)])
        if (count > 2) expect(form).toContain('{count}')
      }
    }
  })

  test('says something of its own in every language', () => {
    const subtitles = LANGUAGES.map((language) => content.in(language).strings.subtitle)
    expect(new Set(subtitles).size).toBe(LANGUAGES.length)
    const reasons = LANGUAGES.flatMap((language) => textsOf(content.in(language)))
    expect(new Set(reasons).size).toBe(reasons.length)
  })
})

/** At least so many of each kind in each language. */
const EXCUSES_MIN = 320
const CELL_MIN = 8
const TONE_MIN = 60
const SHORT_MIN = 60

describe.each([...LANGUAGES])('the built-in excuses in %s', (language) => {
  const { excuses } = content.in(language)
  const countIf = (matches: (excuse: Excuse) => boolean) => excuses.filter(matches).length

  test('are many of every kind', () => {
    expect(excuses.length).toBeGreaterThanOrEqual(EXCUSES_MIN)
    expect(countIf(({ text }) => isShort(text))).toBeGreaterThanOrEqual(SHORT_MIN)
    for (const tone of TAG_VALUES.tone) {
      expect(countIf(({ tags }) => tags.tone.includes(tone))).toBeGreaterThanOrEqual(TONE_MIN)
    }
    for (const occasion of TAG_VALUES.occasion) {
      for (const to of TAG_VALUES.to) {
        const count = countIf(
          ({ tags }) => tags.occasion.includes(occasion) && tags.to.includes(to),
        )
        expect({ occasion, to, isEnough: count >= CELL_MIN }).toEqual({
          occasion,
          to,
          isEnough: true,
        })
      }
    }
  })

  test('each say what they are for, in words that are known', () => {
    for (const { text, tags, needs } of excuses) {
      for (const tag of TAGS) {
        expect([text, tags[tag].length > 0]).toEqual([text, true])
        expect(TAG_VALUES[tag]).toContainValues([...tags[tag]])
      }
      expect(tags.tone).toHaveLength(1)
      expect(NEEDS).toContainValues([...needs])
    }
  })

  test('leave enough to those who have nothing', () => {
    expect(countIf(({ needs }) => needs.length === 0)).toBeGreaterThanOrEqual(EXCUSES_MIN / 2)
  })

  test('have three samples: one of each tone, short enough for the bubble, that suppose nothing', () => {
    const samples = excuses.filter(({ isSample }) => isSample)
    expect(samples.flatMap(({ tags }) => tags.tone).sort()).toEqual([...TAG_VALUES.tone].sort())
    for (const { text, needs } of samples) {
      expect([...text].length).toBeLessThanOrEqual(SAMPLE_LENGTH_MAX)
      expect(needs).toEqual([])
    }
  })
})

/** What the bubble of /app has room for on the smallest phone. */
const SAMPLE_LENGTH_MAX = 90
