import type { Strings } from '../../application/content/strings.ts'
import { onFirstUse } from '../../application/first-use.ts'
import type { Content, LanguageContent } from '../../application/ports.ts'
import { type Excuse, TAG_VALUES, type TagValues } from '../../domain/excuse.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../../domain/language.ts'

/** One language as its files have it: strings may still say `{title}`. */
export type RawContent = { readonly strings: Strings; readonly excuses: readonly Excuse[] }

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
function withTitle(language: Language, { strings, excuses }: RawContent): LanguageContent {
  const titled = Object.entries(strings).map(([key, text = '']): [string, string] => [
    key,
    text.replaceAll('{title}', () => strings.title),
  ])
  return { language, strings: { ...strings, ...Object.fromEntries(titled) }, excuses }
}
