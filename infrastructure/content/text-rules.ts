import type { Language } from '../../domain/language.ts'
import { WRITING_SYSTEMS } from './writing-systems.ts'

/** What is wrong with one text, in words for whoever mends it. */
export type Finding = { readonly level: 'error' | 'warning'; readonly message: string }

/** Words that every script borrows as they are. */
const BORROWED = /(?<!\p{Script=Latin})(?:Wi-Fi|PDF|SMS|JavaScript)(?!\p{Script=Latin})/gu
const PLACEHOLDER = /\{\w+\}/g

/** English words that are none in the other languages of Alibi that are written in Latin letters. */
const ENGLISH_WORDS =
  /(?<!\p{L})(?:the|with|you|your|yours|have|this|these|those|please|would|could|should|they|their|been|because|which|there|about|what|when|where|why|our|it’s|don’t|can’t)(?!\p{L})/iu

/** Whatever the language: such a text cannot be served. */
export function findFlaws(text: string): Finding[] {
  const flaws: [boolean, string][] = [
    [text.trim() === '', 'there is nothing in it'],
    [text !== text.trim(), 'a space at its beginning or end'],
    [/ {2}/.test(text), 'two spaces side by side'],
    [/\p{Cc}/u.test(text), 'a control character, such as a line break or a tab'],
    [
      /[\u200B\u2060\uFEFF\u00AD\u202A-\u202E\uFFFD]/.test(text),
      'an invisible or broken character',
    ],
    [text !== text.normalize('NFC'), 'it is not in Unicode normalisation form C (NFC)'],
  ]
  return flaws.flatMap(([isWrong, message]) => (isWrong ? [{ level: 'error', message }] : []))
}

/** What a reader of the language would stumble over. */
export function findSlips(text: string, language: Language): Finding[] {
  const { foreignLetter, foreignQuote, slips } = WRITING_SYSTEMS[language]
  const words = text.replace(PLACEHOLDER, '').replace(BORROWED, '')
  const isOf = (pattern: RegExp) => pattern.exec(words)?.[0]
  const letter = isOf(foreignLetter)
  const quote = isOf(foreignQuote)
  const english = language === 'en' ? undefined : isOf(ENGLISH_WORDS)
  const messages = [
    letter && `a letter of another script: ${letter}`,
    quote && `a quotation mark of another language: ${quote}`,
    english && `an English word: ${english}`,
    /\.\.\.|--|…\./.test(words) && 'typewriter’s dots or dashes: take … and –',
    ...slips.map(({ pattern, message }) => pattern.test(text.replace(PLACEHOLDER, 'x')) && message),
  ]
  return messages.flatMap((message) => (message ? [{ level: 'warning', message }] : []))
}

/** A closing quotation mark or bracket may follow the mark that ends a sentence. */
const CLOSING = '[»”“’」』）)]*'

/** Whole sentences, the first letter of which is a capital where the script has them. */
export function findSentenceSlips(
  text: string,
  { language, sentencesMax }: { language: Language; sentencesMax: number },
): Finding[] {
  const end = WRITING_SYSTEMS[language].sentenceEnd.source
  const isEnded = new RegExp(`${end}${CLOSING}$`, 'u').test(text)
  // A mark inside a quotation does not end the sentence around it, which goes on in small letters.
  const isSpaced = language !== 'ja' && language !== 'zh'
  const sentenceEnd = isSpaced ? `${end}+${CLOSING}(?=\\s+\\P{Ll}|$)` : `${end}+(?![”」』])`
  const count = text.match(new RegExp(sentenceEnd, 'gu'))?.length ?? 0
  const messages = [
    !isEnded && 'no mark at its end',
    /^[^\p{L}]*\p{Ll}/u.test(text) && 'it begins with a small letter',
    count > sentencesMax && `${count} sentences, at most ${sentencesMax}`,
  ]
  return messages.flatMap((message) => (message ? [{ level: 'warning', message }] : []))
}
