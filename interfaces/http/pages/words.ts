import type { StringKey, Strings } from '../../../application/strings.ts'

/** What a page says in its language, by key. */
export type Words = (key: StringKey) => string

export function wordsOf(strings: Strings): Words {
  return (key) => strings[key]
}
