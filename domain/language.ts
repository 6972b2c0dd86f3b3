/** The languages Alibi speaks, as ISO 639-1 codes, in the order in which they are shown. */
export const LANGUAGES = [
  'en',
  'fr',
  'es',
  'de',
  'it',
  'pt',
  'nl',
  'pl',
  'ru',
  'ja',
  'zh',
  'ar',
  'hi',
  'tr',
  'sv',
] as const

export type Language = (typeof LANGUAGES)[number]

export const DEFAULT_LANGUAGE: Language = 'en'

const BY_CODE = new Map<string, Language>(LANGUAGES.map((language) => [language, language]))

/** The language of a BCP 47 tag by its primary subtag (`pt-BR` is `pt`), or null when Alibi does not speak it. */
export function findLanguage(tag: string): Language | null {
  const known = BY_CODE.get(tag)
  if (known) return known
  const [primary = ''] = tag.trim().toLowerCase().split(/[-_]/, 1)
  return BY_CODE.get(primary) ?? null
}

/** As `findLanguage`, but falls back to the default language. */
export function matchLanguage(tag: string | null | undefined): Language {
  return findLanguage(tag ?? '') ?? DEFAULT_LANGUAGE
}

/** Arabic is the one language of ours that is written from right to left. */
export function textDirection(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr'
}
