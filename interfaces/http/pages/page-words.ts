import { STRING_GROUPS } from '../../../application/content/string-catalogue.ts'
import { PLURAL_CATEGORIES } from '../../../application/content/strings.ts'
import type { Content, LanguageContent } from '../../../application/ports.ts'
import type { Language } from '../../../domain/language.ts'
import { FOLDERS } from '../paths.ts'
import type { PageWords } from './page-data.ts'
import { type StaticAnswer, staticAnswer } from './static-answer.ts'

const { product, page, sign_in, purchase, result, errors } = STRING_GROUPS

/** All that the app page may say, plural forms included. */
const KEYS = Object.entries({
  ...product,
  ...page,
  ...sign_in,
  ...purchase,
  ...result,
  ...errors,
}).flatMap(([key, entry]) =>
  'plural' in entry ? PLURAL_CATEGORIES.map((category) => `${key}_${category}`) : [key],
)

export function pageWords({ strings }: Pick<LanguageContent, 'strings'>): PageWords {
  return Object.fromEntries(KEYS.flatMap((key) => (strings[key] ? [[key, strings[key]]] : [])))
}

/** The words of the app page as files, for a change of language without another page. */
export type WordFiles = {
  /** Changes with the words. Null for a language that is not on offer. */
  find(language: Language): { readonly path: string; readonly file: StaticAnswer } | null
}

export function wordFiles(content: Content): WordFiles {
  const files = new Map<Language, StaticAnswer>()
  function fileOf(language: Language): StaticAnswer {
    const known =
      files.get(language) ??
      staticAnswer(JSON.stringify(pageWords(content.in(language))), {
        'content-type': 'application/json',
      })
    files.set(language, known)
    return known
  }

  return {
    find(language) {
      if (!content.languages.includes(language)) return null
      const file = fileOf(language)
      return {
        path: `${FOLDERS.words.path}${language}.json?v=${file.fingerprint}`,
        file,
      }
    },
  }
}
