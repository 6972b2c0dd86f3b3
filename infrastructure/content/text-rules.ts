import type { ContentProblem } from '../../application/content/content-files.ts'

/** What is wrong with one text, in words for the person who corrects it. */
export type Finding = Pick<ContentProblem, 'level' | 'message'>

export function error(message: string): Finding {
  return { level: 'error', message }
}

export function warning(message: string): Finding {
  return { level: 'warning', message }
}

/**
 * Controls, line ends, private use, bidirectional embeddings, overrides and isolates, invisible characters,
 * noncharacters, and U+FFFD, which replaces broken bytes.
 */
const UNSERVABLE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Co}\u200B\u2060\uFEFF\u202A-\u202E\u2066-\u2069\uFDD0-\uFDEF\uFFF9-\uFFFF]/u

/** The flaws because of which a text cannot be served in any language. */
export function findFlaws(text: string): Finding[] {
  const flaws: [boolean, string][] = [
    [text.trim() === '', 'the text is empty'],
    [text !== text.trim(), 'a space at its beginning or end'],
    [/\p{Zs}{2}/u.test(text), 'two spaces side by side'],
    [UNSERVABLE.test(text), 'a line break, a tab or another character that cannot be seen'],
    [!text.isWellFormed(), 'half a character (a lone surrogate)'],
    [text !== text.normalize('NFC'), 'it is not in Unicode normalisation form C (NFC)'],
  ]
  return flaws.flatMap(([isWrong, message]) => (isWrong ? [error(message)] : []))
}
