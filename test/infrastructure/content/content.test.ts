import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { LANGUAGES } from '../../../domain/language.ts'
import { BUILT_IN_LIMITS } from '../../../infrastructure/content/check-content.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { describeProblem } from '../../../infrastructure/content/content-file.ts'
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
