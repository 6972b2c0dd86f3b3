import { PLACEHOLDER } from '../../../application/content/strings.ts'
import type { Language } from '../../../domain/language.ts'
import { type Finding, warning } from '../text-rules.ts'
import { WRITING_SYSTEMS } from './writing-systems.ts'

/** No words of the language: addresses, accounts, acronyms and names that every script borrows as they are. */
const BORROWED =
  /https?:\/\/\S+|[\w.+-]*@[\w.-]+|(?<!\p{Script=Latin})(?:Wi-Fi|JavaScript|[A-Z]{1,4})(?!\p{Script=Latin})/gu

/** English words that seldom are words of the other languages of Alibi. */
const ENGLISH_WORDS =
  /(?<!\p{L})(?:the|with|you|your|yours|this|those|please|would|could|should|they|their|because|which|there|about|what|when|where|why|our|it’s|don’t|can’t)(?!\p{L})/iu

/** Whether there are words in it that a translation would have to translate. */
export function hasWords(text: string): boolean {
  return /\p{L}/u.test(wordsOf(text))
}

function wordsOf(text: string): string {
  return text.replace(PLACEHOLDER, '').replace(BORROWED, '')
}

/** The slips that a reader of the language would notice. */
export function findSlips(text: string, language: Language): Finding[] {
  const words = wordsOf(text)
  const { foreignLetter, foreignQuote, slips } = WRITING_SYSTEMS[language]
  const letter = foreignLetter.exec(words)?.[0]
  const quote = foreignQuote.exec(words)?.[0]
  const english = language === 'en' ? undefined : ENGLISH_WORDS.exec(words)?.[0]
  // A placeholder or a borrowed word counts as a word, so that the marks beside it are checked as well.
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
