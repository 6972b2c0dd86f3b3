import type { ContentFile } from '../../application/content/content-files.ts'
import type { StringEntry } from '../../application/content/string-entry.ts'
import {
  listKeys,
  PLACEHOLDER,
  PLURAL_CATEGORIES,
  pluralCategories,
  STRING_ENTRIES,
} from '../../application/content/strings.ts'
import type { Language } from '../../domain/language.ts'
import { error, type Finding, findFlaws } from './text-rules.ts'

/** For a string that the catalogue does not know. */
const OWN_LENGTH_MAX = 2000
const OWN_KEY = /^[a-z][a-z0-9_]*$/
const PLURAL_FORM = new RegExp(`^(?<base>.+)_(?<category>${PLURAL_CATEGORIES.join('|')})$`)

export type Texts = NonNullable<ContentFile['strings']>
export type KeyedFinding = Finding & { readonly key: string }
/** What the catalogue says about a string, or the English file about an operator's own. */
export type Rule = Omit<StringEntry, 'meaning'> & { readonly isOwn: boolean }

/** The language of strings, and the English ones that they are checked against. */
export type StringContext = {
  readonly language: Language
  /** The strings that they translate; for English, the same strings. */
  readonly english: Texts
  /** Whether every key of the catalogue has to be there, and no other. */
  readonly isComplete: boolean
}

/** The problems because of which the strings of one language cannot be served. */
export function findStringProblems(strings: Texts, context: StringContext): KeyedFinding[] {
  const { language, english } = context
  const wanted = wantedKeys(context)
  return [
    ...[...strings].flatMap(([key, { text }]) =>
      [
        ...(wanted.has(key)
          ? findTextProblems(text, { key, rule: ruleOf(key, english), language })
          : [unwanted(key, { english, language })]),
        ...findKeyProblems(key),
      ].map((finding) => ({ ...finding, key })),
    ),
    ...[...wanted]
      .filter((key) => !strings.has(key))
      .map((key) => ({ ...error('it is missing'), key })),
  ]
}

export function wantedKeys({ language, english, isComplete }: StringContext): ReadonlySet<string> {
  return new Set(isComplete ? listKeys(language) : translationsOf(english, language))
}

/** The keys that a translation needs: every key of English, and for a plural every form that the language has. */
function translationsOf(english: Texts, language: Language): string[] {
  return [...english.keys()].flatMap((key) => {
    const base = pluralBase(key, english)
    return base === null
      ? [key]
      : pluralCategories(language).map((category) => `${base}_${category}`)
  })
}

/**
 * The key without its plural category, where the catalogue has plural forms for it, or English has `…_one` and
 * `…_other`. Else null.
 */
function pluralBase(key: string, english: Texts): string | null {
  const { base } = PLURAL_FORM.exec(key)?.groups ?? {}
  if (base === undefined) return null
  const isCounted = english.get(`${base}_other`)?.text.includes('{count}')
  const isPlural = STRING_ENTRIES.get(base)?.plural || (isCounted && english.has(`${base}_one`))
  return isPlural ? base : null
}

function unwanted(
  key: string,
  { english, language }: { english: Texts; language: Language },
): Finding {
  return pluralBase(key, english) === null
    ? error('en.json has no such key')
    : error(`the plural forms of the language are ${pluralCategories(language).join(', ')}`)
}

/** The rule for a key that the catalogue or the English file has. */
export function ruleOf(key: string, english: Texts): Rule {
  const base = pluralBase(key, english)
  const entry = STRING_ENTRIES.get(base ?? key)
  if (entry) return { ...entry, isOwn: false }
  const original = english.get(base === null ? key : `${base}_other`)?.text ?? ''
  return {
    lengthMax: OWN_LENGTH_MAX,
    placeholders: placeholdersOf(original).filter((name) => name !== 'title'),
    ...(base === null ? {} : { plural: true }),
    isOwn: true,
  }
}

function findKeyProblems(key: string): Finding[] {
  const isWritable = OWN_KEY.test(key)
  return isWritable
    ? []
    : [error('a key begins with a letter, and is made of a to z, 0 to 9 and _')]
}

function findTextProblems(
  text: string,
  { key, rule, language }: { key: string; rule: Rule; language: Language },
): Finding[] {
  const { lengthMax, opening } = rule
  const length = [...text].length
  return [
    ...findFlaws(text),
    ...(length > lengthMax ? [error(`${length} characters, at most ${lengthMax}`)] : []),
    ...(rule.isOwn ? [] : findPlaceholderFaults(text, { key, rule, language }).map(error)),
    ...(rule.isOwn || !hasLooseBrace(text)
      ? []
      : [error('a brace that belongs to no placeholder')]),
    ...(opening === undefined || text.startsWith(`{${opening}}`)
      ? []
      : [error(`it has to begin with {${opening}}`)]),
  ]
}

/** Placeholders that are missing, and those that the service does not fill in. */
export function findPlaceholderFaults(
  text: string,
  { key, rule, language }: { key: string; rule: Rule; language: Language },
): string[] {
  const found = placeholdersOf(text)
  const wanted = rule.placeholders ?? []
  const mayOmit = rule.plural && isForOneNumber(key, language) ? ['count'] : []
  const reason = rule.plural ? ', for this form stands for more than one number' : ''
  return [
    ...wanted
      .filter((name) => !found.includes(name) && !mayOmit.includes(name))
      .map((name) => `the placeholder {${name}} is missing${reason}`),
    ...found
      .filter((name) => !wanted.includes(name) && (name !== 'title' || key === 'title'))
      .map((name) => `nobody fills in {${name}}`),
  ]
}

function hasLooseBrace(text: string): boolean {
  return /[{}]/.test(text.replace(PLACEHOLDER, ''))
}

/** "One try" may say its number in words, but not in Russian, where the same form stands for 21. */
function isForOneNumber(key: string, language: Language): boolean {
  const { category } = PLURAL_FORM.exec(key)?.groups ?? {}
  const rules = new Intl.PluralRules(language)
  const numbers = Array.from({ length: 200 }, (_, number) => number)
  return numbers.filter((number) => rules.select(number) === category).length === 1
}

function placeholdersOf(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))]
}
