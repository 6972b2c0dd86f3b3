/** The languages of Alibi, by their own names. */
export const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  en: 'English',
  fr: 'Français',
  es: 'Español',
  de: 'Deutsch',
  it: 'Italiano',
  pt: 'Português',
  nl: 'Nederlands',
  pl: 'Polski',
  ru: 'Русский',
  ja: '日本語',
  zh: '中文',
  ar: 'العربية',
  hi: 'हिन्दी',
  tr: 'Türkçe',
  sv: 'Svenska',
}

/** Gives the words of a key, its placeholders filled in. */
export type Words = (key: string, values?: Readonly<Record<string, string>>) => string

/** The browser's language where Alibi speaks it, else English. */
export function browserLanguage(): string {
  const [primary = ''] = chrome.i18n.getUILanguage().toLowerCase().split('-')
  return primary in LANGUAGE_NAMES ? primary : 'en'
}

/** The words of the extension in a language. */
export async function wordsIn(language: string): Promise<Words> {
  const response = await fetch(chrome.runtime.getURL(`words/${language}.json`))
  const strings: Record<string, string> = await response.json()
  // What is put in stays in one piece among words of the other direction (Unicode FSI and PDI).
  return (key, values = {}) =>
    (strings[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => `\u2068${values[name] ?? ''}\u2069`)
}

/** A wait as a person says it: whole minutes, the last one in seconds. */
export function duration(milliseconds: number, language: string): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000))
  const [count, unit] = seconds > 60 ? [Math.ceil(seconds / 60), 'minute'] : [seconds, 'second']
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(
    count,
  )
}
