import type { StringKey, Strings } from '../../../application/content/strings.ts'
import { type Html, html } from './html.ts'

/** The strings of a page in its language, by key. */
export type Words = (key: StringKey) => string

export function translator(strings: Strings): Words {
  return (key) => strings[key]
}

/** An element that holds one translated string. The page's script finds it by its key when the language changes. */
export function translated(
  words: Words,
  tag: string,
  key: StringKey,
  attributes: Html | null = null,
): Html {
  const more = attributes && html` ${attributes}`
  return html`<${tag} data-word="${key}"${more}>${words(key)}</${tag}>`
}
