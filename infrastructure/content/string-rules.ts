import type { StringEntry } from '../../application/string-catalogue.ts'
import { listStrings } from '../../application/strings.ts'
import { DEFAULT_LANGUAGE, type Language } from '../../domain/language.ts'
import type { ContentFile } from './content-file.ts'
import { type Finding, findFlaws, findSlips } from './text-rules.ts'

/** Of a string that the catalogue does not know. */
const OWN_LENGTH_MAX = 2000
const OWN_KEY = /^[a-z][a-z0-9_]*$/
const PLURAL_FORM = /^(?<base>.+)_(?<category>zero|one|two|few|many|other)$/

type Strings = NonNullable<ContentFile['strings']>
/** Null for a key that is not there. */
type KeyedFinding = Finding & { readonly key: string | null }
/** What the catalogue says about a string, or the English file about an operator's own. */
type Rule = Omit<StringEntry, 'meaning'>

/**
 * What is wrong with the strings of one language. `english` is what they translate; `isComplete` says whether every key
 * of the catalogue has to be there, and no other.
 */
export function findStringProblems(
  strings: Strings,
  { language, english, isComplete }: { language: Language; english: Strings; isComplete: boolean },
): KeyedFinding[] {
  const known = new Map<string, Rule>(listStrings(language).map(({ key, entry }) => [key, entry]))
  const ruleOf = (key: string) => known.get(key) ?? ownRule(key, english)
  const wanted = new Set(isComplete ? known.keys() : translationsOf(english, language))
  return [
    ...[...strings].flatMap(([key, { text }]) =>
      [
        ...findTextProblems(text, { key, rule: ruleOf(key), language }),
        ...(wanted.has(key) ? [] : [unwanted(key, { english, language })]),
        ...(OWN_KEY.test(key) ? [] : [error('a key is made of a to z, 0 to 9 and _')]),
        ...(isLeftInEnglish(text, { key, english, language }) && !ruleOf(key).sameEverywhere
          ? [{ level: 'warning', message: 'it is left in English' } as const]
          : []),
      ].map((finding) => ({ ...finding, key })),
    ),
    ...[...wanted]
      .filter((key) => !strings.has(key))
      .map((key) => ({ key: null, ...error(`strings.${key} is missing`) })),
  ]
}

/** What English has, a translation has as well: every key, and of a plural every form that its language has. */
function translationsOf(english: Strings, language: Language): string[] {
  return [...english.keys()].flatMap((key) => {
    const { base } = pluralForm(key, english)
    return base === null ? [key] : categoriesOf(language).map((category) => `${base}_${category}`)
  })
}

function unwanted(
  key: string,
  { english, language }: { english: Strings; language: Language },
): Finding {
  return pluralForm(key, english).base === null
    ? error('en.json has no such key')
    : error(`the plural forms of the language are ${categoriesOf(language).join(', ')}`)
}

const KNOWN_PLURALS: ReadonlySet<string> = new Set(
  listStrings(DEFAULT_LANGUAGE).flatMap(({ key, category }) =>
    category === null ? [] : [key.slice(0, -`_${category}`.length)],
  ),
)

/** A key is a form of `base` when the catalogue says so, or when English has `…_one` and `…_other`. Else `base` is null. */
function pluralForm(
  key: string,
  english: Strings,
): { base: string | null; category: string | null } {
  const { base, category } = PLURAL_FORM.exec(key)?.groups ?? {}
  if (base === undefined || category === undefined) return { base: null, category: null }
  const isPlural =
    KNOWN_PLURALS.has(base) || (english.has(`${base}_one`) && english.has(`${base}_other`))
  return isPlural ? { base, category } : { base: null, category: null }
}

function categoriesOf(language: Language): readonly string[] {
  return new Intl.PluralRules(language).resolvedOptions().pluralCategories
}

function ownRule(key: string, english: Strings): Rule {
  const { base } = pluralForm(key, english)
  const original = english.get(base === null ? key : `${base}_other`)?.text ?? ''
  return {
    lengthMax: OWN_LENGTH_MAX,
    placeholders: placeholdersOf(original).filter((name) => name !== 'title'),
    ...(base === null ? {} : { plural: true }),
  }
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
    ...findPlaceholderProblems(text, { key, rule, language }),
    ...(opening === undefined || text.startsWith(`{${opening}}`)
      ? []
      : [error(`it has to begin with {${opening}}`)]),
    ...(rule.sameEverywhere ? [] : findSlips(text, language)),
  ]
}

function findPlaceholderProblems(
  text: string,
  { key, rule, language }: { key: string; rule: Rule; language: Language },
): Finding[] {
  const found = placeholdersOf(text)
  const wanted = rule.placeholders ?? []
  const mayOmit = rule.plural && isForOneNumber(key, language) ? ['count'] : []
  return [
    ...wanted
      .filter((name) => !found.includes(name) && !mayOmit.includes(name))
      .map((name) => error(`the placeholder {${name}} is missing`)),
    ...found
      .filter((name) => !wanted.includes(name) && (name !== 'title' || key === 'title'))
      .map((name) => error(`nobody fills in the placeholder {${name}}`)),
    ...(/[{}]/.test(text.replace(/\{\w+\}/g, '')) ? [error('a brace without its fellow')] : []),
  ]
}

/** "One try" may say its number in words, but not in Russian, where the same form stands for 21. */
function isForOneNumber(key: string, language: Language): boolean {
  const { category } = PLURAL_FORM.exec(key)?.groups ?? {}
  const rules = new Intl.PluralRules(language)
  const numbers = Array.from({ length: 200 }, (_, number) => number)
  return numbers.filter((number) => rules.select(number) === category).length === 1
}

function isLeftInEnglish(
  text: string,
  { key, english, language }: { key: string; english: Strings; language: Language },
): boolean {
  return language !== DEFAULT_LANGUAGE && text === english.get(key)?.text
}

function placeholdersOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))]
}

function error(message: string): Finding {
  return { level: 'error', message }
}
