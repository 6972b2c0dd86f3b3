import { STRING_GROUPS } from '../../../application/content/string-catalogue.ts'
import { PLURAL_CATEGORIES, tagStringKey } from '../../../application/content/strings.ts'
import type { Content, LanguageContent } from '../../../application/ports.ts'
import { samplesOf, TAGS } from '../../../domain/excuse.ts'
import type { Language } from '../../../domain/language.ts'
import { FOLDERS } from '../paths.ts'
import type { PageWords } from './page-data.ts'
import { type StaticAnswer, staticAnswer } from './static-answer.ts'

const { product, choice, page, sign_in, purchase, result, errors, payment_pages } = STRING_GROUPS
const { payment_processing_title, payment_processing_text, payment_processing_later } =
  payment_pages
const { payment_unpaid_title, payment_unpaid_text } = payment_pages
const { payment_ended_title, payment_ended_text } = payment_pages

/** All that the app page may say, plural forms included. */
const KEYS = Object.entries({
  ...product,
  ...choice,
  ...page,
  ...sign_in,
  ...purchase,
  ...result,
  ...errors,
  payment_processing_title,
  payment_processing_text,
  payment_processing_later,
  payment_unpaid_title,
  payment_unpaid_text,
  payment_ended_title,
  payment_ended_text,
}).flatMap(([key, entry]) =>
  'plural' in entry ? PLURAL_CATEGORIES.map((category) => `${key}_${category}`) : [key],
)

/** With the names of an operator's own values, and the samples. */
export function pageWords(content: LanguageContent): PageWords {
  const { strings, excuses } = content
  const own = TAGS.flatMap((tag) =>
    excuses.flatMap(({ tags }) => tags[tag].map((value) => tagStringKey(tag, value))),
  )
  const keys = new Set([...KEYS, ...own])
  return {
    ...Object.fromEntries([...keys].flatMap((key) => (strings[key] ? [[key, strings[key]]] : []))),
    ...sampleWords(content),
  }
}

/** The key of a sample among the words of the page, counted from 0. */
export function sampleKey(index: number): string {
  return `sample_${index}`
}

/** The samples of a content by their keys. */
export function sampleWords({ excuses }: LanguageContent): Record<string, string> {
  return Object.fromEntries(samplesOf(excuses).map((text, index) => [sampleKey(index), text]))
}

/** The words of the app page as files, for a change of language without another page. */
export type WordFiles = {
  /** Changes with the words. Null for a language that is not on offer. */
  find(language: Language): { readonly path: string; readonly file: StaticAnswer } | null
}

export function wordFiles(content: Content): WordFiles {
  const files = new Map<Language, StaticAnswer>()
  function make(language: Language): StaticAnswer {
    const words = JSON.stringify(pageWords(content.in(language)))
    return staticAnswer(words, { 'content-type': 'application/json' })
  }

  return {
    find(language) {
      if (!content.languages.includes(language)) return null
      const file = files.getOrInsertComputed(language, make)
      return { path: `${FOLDERS.words.path}${language}.json?v=${file.fingerprint}`, file }
    },
  }
}
