import type { Language } from '../../domain/language.ts'
import { STRING_GROUPS } from './string-catalogue.ts'
import type { StringEntry } from './string-entry.ts'

type Groups = typeof STRING_GROUPS
type Entries = { [Group in keyof Groups]: Groups[Group] }[keyof Groups]
type KeyOf<Group> = Group extends unknown ? keyof Group & string : never
type PluralKeyOf<Group> = Group extends unknown
  ? { [Key in keyof Group]: Group[Key] extends { plural: true } ? Key : never }[keyof Group] &
      string
  : never

/** A string that needs no number. */
export type StringKey = Exclude<KeyOf<Entries>, PluralKey>

/** A string with a number in it: it has a form for each plural category of its language. */
export type PluralKey = PluralKeyOf<Entries>

/** Every string in one language, by key. An operator may have added others. */
export type Strings = Readonly<
  Record<StringKey | `${PluralKey}_other`, string> & Partial<Record<string, string>>
>

/** A placeholder, such as `{email}`, for what is known only when the string is shown. The name is its first group. */
export const PLACEHOLDER = /\{(\w+)\}/g

/** As Unicode orders them; a language has some of them, and always `other`. */
export const PLURAL_CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'] as const
export type PluralCategory = (typeof PLURAL_CATEGORIES)[number]

/** The plural categories of a language (CLDR), in Unicode's order. */
export function pluralCategories(language: Language): PluralCategory[] {
  const { pluralCategories: own } = new Intl.PluralRules(language).resolvedOptions()
  return PLURAL_CATEGORIES.filter((category) => own.includes(category))
}

/** The catalogue, by key. What has plural forms is there once, under the key without a category. */
export const STRING_ENTRIES: ReadonlyMap<string, StringEntry> = new Map(
  Object.values(STRING_GROUPS).flatMap((group) => Object.entries<StringEntry>(group)),
)

/** Every key that content in the language has, in the order of the catalogue. */
export function listKeys(language: Language): string[] {
  return [...STRING_ENTRIES].flatMap(([key, { plural }]) =>
    plural ? pluralCategories(language).map((category) => `${key}_${category}`) : [key],
  )
}

/** The key of the string that names a value of what an excuse can be chosen by: `occasion_late`. */
export function tagStringKey(tag: string, value: string): string {
  return `${tag}_${value.replaceAll('-', '_')}`
}
