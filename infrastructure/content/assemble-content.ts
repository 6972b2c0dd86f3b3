import type { Strings } from '../../application/content/strings.ts'
import { onFirstUse } from '../../application/first-use.ts'
import type { Content, LanguageContent } from '../../application/ports.ts'
import { type Excuse, TAG_VALUES, type TagValues } from '../../domain/excuse.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../../domain/language.ts'

/** An excuse as a file has it: its text alone, or with what it is for. One value may stand for a list of one. */
export type RawExcuse = {
  readonly text: string
  readonly occasion?: OneOrMore
  readonly to?: OneOrMore
  readonly tone?: OneOrMore
  readonly needs?: OneOrMore
  readonly sample?: boolean
}

type OneOrMore = string | readonly string[]

/** One language as its files have it: strings may still say `{title}`. */
export type RawContent = {
  readonly strings: Strings
  readonly reasons: readonly (string | RawExcuse)[]
}

/**
 * The content by language, each made when it is first asked for. A missing language is answered in English, which has
 * to be there.
 */
export function assembleContent(
  raw: ReadonlyMap<Language, () => RawContent>,
  tagValues: TagValues = TAG_VALUES,
): Content {
  const contents = new Map(
    [...raw].map(([language, own]) => [language, onFirstUse(() => withTitle(language, own()))]),
  )
  const fallback = contents.get(DEFAULT_LANGUAGE)
  if (!fallback) throw new Error(`there is no content in ${DEFAULT_LANGUAGE}`)
  return {
    languages: LANGUAGES.filter((language) => contents.has(language)),
    tagValues,
    in: (language) => (contents.get(language) ?? fallback)(),
  }
}

/** Puts the product's name wherever a string says `{title}`. */
function withTitle(language: Language, { strings, reasons }: RawContent): LanguageContent {
  const titled = Object.entries(strings).map(([key, text = '']): [string, string] => [
    key,
    text.replaceAll('{title}', () => strings.title),
  ])
  return {
    language,
    strings: { ...strings, ...Object.fromEntries(titled) },
    excuses: reasons.map(readExcuse),
  }
}

function readExcuse(raw: string | RawExcuse): Excuse {
  const entry: RawExcuse = typeof raw === 'string' ? { text: raw } : raw
  const { text, occasion, to, tone, needs, sample } = entry
  return {
    text,
    tags: { occasion: listOf(occasion), to: listOf(to), tone: listOf(tone) },
    needs: listOf(needs),
    isSample: sample ?? false,
  }
}

function listOf(value: OneOrMore = []): readonly string[] {
  return typeof value === 'string' ? [value] : value
}
