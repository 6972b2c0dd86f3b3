import { PLACEHOLDER } from '../../application/content/strings.ts'
import type { Language } from '../../domain/language.ts'
import type { ContentProblem } from './content-file.ts'
import { WRITING_SYSTEMS } from './writing-systems.ts'

/** What is wrong with one text, in words for whoever mends it. */
export type Finding = Pick<ContentProblem, 'level' | 'message'>

export function error(message: string): Finding {
  return { level: 'error', message }
}

export function warning(message: string): Finding {
  return { level: 'warning', message }
}

/** No words of the language: addresses, accounts, acronyms and names that every script borrows as they are. */
const BORROWED =
  /https?:\/\/\S+|[\w.+-]*@[\w.-]+|(?<!\p{Script=Latin})(?:Wi-Fi|JavaScript|[A-Z]{1,4})(?!\p{Script=Latin})/gu

/** English words that seldom are words of the other languages of Alibi. */
const ENGLISH_WORDS =
  /(?<!\p{L})(?:the|with|you|your|yours|this|those|please|would|could|should|they|their|because|which|there|about|what|when|where|why|our|it’s|don’t|can’t)(?!\p{L})/iu

/**
 * Controls, line ends, private use, bidirectional embeddings, overrides and isolates, and what stands for nothing or for
 * something broken.
 */
const UNSERVABLE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Co}\u200B\u2060\uFEFF\u202A-\u202E\u2066-\u2069\uFDD0-\uFDEF\uFFF9-\uFFFF]/u

/** Whatever the language: such a text cannot be served. */
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

/** Whether there are words in it that a translation would have to translate. */
export function hasWords(text: string): boolean {
  return /\p{L}/u.test(wordsOf(text))
}

function wordsOf(text: string): string {
  return text.replace(PLACEHOLDER, '').replace(BORROWED, '')
}

/** What a reader of the language would stumble over. */
export function findSlips(text: string, language: Language): Finding[] {
  const words = wordsOf(text)
  const { foreignLetter, foreignQuote, slips } = WRITING_SYSTEMS[language]
  const letter = foreignLetter.exec(words)?.[0]
  const quote = foreignQuote.exec(words)?.[0]
  const english = language === 'en' ? undefined : ENGLISH_WORDS.exec(words)?.[0]
  // A mark stands beside what is not of the language as it does beside a word.
  const marked = text.replace(PLACEHOLDER, 'x').replace(BORROWED, 'x')
  return [
    letter && `a letter of another script: ${letter}`,
    quote && `a quotation mark of another language: ${quote}`,
    english && `an English word: ${english}`,
    /\.\.\.|--|…\./.test(words) && 'typewriter’s dots or dashes: take … and –',
    ...slips.map(({ pattern, message }) => pattern.test(marked) && message),
  ].flatMap((message) => (message ? [warning(message)] : []))
}

/** Whole sentences, the first letter of which is a capital where the script has them. */
export function findSentenceSlips(
  text: string,
  { language, sentencesMax }: { language: Language; sentencesMax: number },
): Finding[] {
  const { ended, sentenceEnds } = WRITING_SYSTEMS[language]
  const count = text.match(sentenceEnds)?.length ?? 0
  return [
    !ended.test(text) && 'no punctuation mark at its end',
    /^[^\p{L}]*\p{Ll}/u.test(text) && 'it begins with a small letter',
    count > sentencesMax && `${count} sentences, at most ${sentencesMax}`,
  ].flatMap((message) => (message ? [warning(message)] : []))
}
