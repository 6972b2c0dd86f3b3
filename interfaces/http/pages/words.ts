import type { Content } from '../../../application/ports.ts'
import type { Language } from '../../../domain/language.ts'

/** What a page says in its language, by key. A key without a translation stands for itself. */
export type Words = (key: string) => string

export function wordsOf(content: Content, language: Language): Words {
  const strings = content.strings(language)
  return (key) => strings[key] ?? key
}
