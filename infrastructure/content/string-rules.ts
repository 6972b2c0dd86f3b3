import type { StringEntry } from '../../application/string-catalogue.ts'
import { listStrings } from '../../application/strings.ts'
import type { Language } from '../../domain/language.ts'
import type { ContentFile } from './content-file.ts'
import { type Finding, findFlaws, findSlips } from './text-rules.ts'

/** Of a string that the catalogue does not know. */
const OWN_LENGTH_MAX = 2000
const OWN_KEY = /^[a-z][a-z0-9_]*$/
const PLURAL_FORM = /^(?<base>.+)_(?<category>zero|one|two|few|many|other)$/

type Strings = NonNullable<ContentFile['strings']>
type KeyedFinding = Finding & { readonly key: string | null }

/**
 * What is wrong with the strings of one language. `english` is what they translate; `isComplete` says whether every key
 * of the catalogue has to be there.
 */
export function findStringProblems(
  strings: Strings,
  { language, english, isComplete }: { language: Language; english: Strings; isComplete: boolean },
): KeyedFinding[] {
  const known = new Map(listStrings(language).map(({ key, entry }) => [key, entry]))
  const wanted = isComplete ? [...known.keys()] : translationsOf(english, language)
  const texts = [...strings].flatMap(([key, { text }]) => {
    const entry = known.get(key) ?? ownEntry(key, english)
    return findTextProblems(text, { key, entry, language, english }).map((finding) => ({
      ...finding,
      key,
    }))
  })
  const missing = wanted.filter((key) => !strings.has(key))
  return [
    ...texts,
    ...findKeyProblems(strings, { language, wanted: new Set(wanted) }),
    ...missing.map((key) => ({ key: null, ...error(`strings.${key} is missing`) })),
  ]
}

/** What English has, a translation has as well: every key, and of a plural every form that its language has. */
function translationsOf(english: Strings, language: Language): string[] {
  const keys = [...english.keys()].flatMap((key) => {
    const { base, category } = pluralForm(key, english)
    return category === null ? [key] : categoriesOf(language).map((own) => `${base}_${own}`)
  })
  return [...new Set(keys)]
}

function categoriesOf(language: Language): readonly string[] {
  return new Intl.PluralRules(language).resolvedOptions().pluralCategories
}

function findKeyProblems(
  strings: Strings,
  { language, wanted }: { language: Language; wanted: ReadonlySet<string> },
): KeyedFinding[] {
  const categories = categoriesOf(language)
  return [...strings.keys()].flatMap((key): KeyedFinding[] => {
    const { category } = pluralForm(key, strings)
    if (category !== null && !categories.includes(category)) {
      return [{ key, ...error(`the language’s plural forms are ${categories.join(', ')}`) }]
    }
    if (!wanted.has(key)) return [{ key, ...error('en.json has no such key') }]
    return OWN_KEY.test(key) ? [] : [{ key, ...error('a key is made of a to z, 0 to 9 and _') }]
  })
}

/** A key is a plural form when its `…_other` is there as well. */
function pluralForm(key: string, strings: Strings): { base: string; category: string | null } {
  const { base, category } = PLURAL_FORM.exec(key)?.groups ?? {}
  if (base === undefined || category === undefined) return { base: key, category: null }
  return strings.has(`${base}_other`) ? { base, category } : { base: key, category: null }
}

/** What English says about a key that the catalogue does not know. */
function ownEntry(key: string, english: Strings): StringEntry {
  const { base, category } = PLURAL_FORM.exec(key)?.groups ?? {}
  const isPlural = category !== undefined && english.has(`${base}_other`)
  const original = english.get(isPlural ? `${base}_other` : key)?.text ?? ''
  return {
    meaning: 'The operator’s own',
    lengthMax: OWN_LENGTH_MAX,
    placeholders: placeholdersOf(original),
    ...(isPlural ? { plural: true } : {}),
  }
}

function findTextProblems(
  text: string,
  {
    key,
    entry,
    language,
    english,
  }: { key: string; entry: StringEntry; language: Language; english: Strings },
): Finding[] {
  const length = [...text].length
  const isLeftInEnglish = language !== 'en' && text === english.get(key)?.text
  return [
    ...findFlaws(text),
    ...(length > entry.lengthMax
      ? [error(`${length} characters, at most ${entry.lengthMax}`)]
      : []),
    ...findPlaceholderProblems(text, { key, entry, language }),
    ...(entry.opening && !text.startsWith(`{${entry.opening}}`)
      ? [error(`it has to begin with {${entry.opening}}`)]
      : []),
    ...(entry.sameEverywhere ? [] : findSlips(text, language)),
    ...(isLeftInEnglish && !entry.sameEverywhere
      ? [{ level: 'warning', message: 'it is left in English' } as const]
      : []),
  ]
}

function findPlaceholderProblems(
  text: string,
  { key, entry, language }: { key: string; entry: StringEntry; language: Language },
): Finding[] {
  const found = placeholdersOf(text)
  const wanted = entry.placeholders ?? []
  const mayOmit = entry.plural && isForOneNumber(key, language) ? ['count'] : []
  return [
    ...wanted
      .filter((name) => !found.includes(name) && !mayOmit.includes(name))
      .map((name) => error(`the placeholder {${name}} is missing`)),
    ...found
      .filter((name) => !wanted.includes(name) && (name !== 'title' || key === 'title'))
      .map((name) => error(`nobody fills in the placeholder {${name}}`)),
  ]
}

/** "One try" may say its number in words, but not in Russian, where the same form stands for 21. */
function isForOneNumber(key: string, language: Language): boolean {
  const { category } = PLURAL_FORM.exec(key)?.groups ?? {}
  const rules = new Intl.PluralRules(language)
  const numbers = Array.from({ length: 200 }, (_, number) => number)
  return numbers.filter((number) => rules.select(number) === category).length === 1
}

function placeholdersOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))]
}

function error(message: string): Finding {
  return { level: 'error', message }
}
