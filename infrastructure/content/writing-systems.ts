import type { Language } from '../../domain/language.ts'

/** How a language is written, as far as a program can tell. */
export type WritingSystem = {
  /** A letter of another script. */
  readonly foreignLetter: RegExp
  /** A mark that ends a sentence. */
  readonly sentenceEnd: RegExp
  /** Quotation marks it does not use. The apostrophe is no quotation mark. */
  readonly foreignQuote: RegExp
  /** What its own rules forbid, in words for whoever mends it. */
  readonly slips: readonly Slip[]
}

export type Slip = { readonly pattern: RegExp; readonly message: string }

const LATIN = /(?!\p{Script=Latin})\p{L}/u
const HAN = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`

const QUOTES = '«»‹›„“”‟‚‘‛「」『』《》〈〉'
const APOSTROPHE_IS_TYPED: Slip = {
  pattern: /["'`´]/,
  message: 'a typewriter’s quotation mark or apostrophe: take the language’s own',
}

/** For languages that write marks close to the word before them and a space behind. */
const CLOSE_MARKS: readonly Slip[] = [
  APOSTROPHE_IS_TYPED,
  { pattern: /[ \u00A0\u202F][,.;:!?؟،؛।](?!\d)/, message: 'a space before a mark' },
  { pattern: /[,;!?؟،؛।](?=\p{L})|\.(?=\p{Lu})/u, message: 'no space after a mark' },
]

/** Not in Chinese and Japanese, where every mark takes a letter’s place. */
const NO_WIDE_MARKS: Slip = {
  pattern: /[，。！？：；（）、]/,
  message: 'a full-width mark, which belongs to Chinese and Japanese',
}

const WIDE_MARKS: readonly Slip[] = [
  APOSTROPHE_IS_TYPED,
  {
    pattern: /(?<!\d)[,.?!:;()]|[,.?!:;()](?!\d)/,
    message: 'a half-width mark: take 、，。？！：；（）',
  },
  {
    pattern: new RegExp(`[${HAN}，。！？：；、] +[${HAN}]`, 'u'),
    message: 'a space between letters that are written without',
  },
]

const WESTERN = /[.!?…]/
const EASTERN = /[。！？…]/

/** Any quotation mark but those of a language. */
function quotesBut(own: string): RegExp {
  return new RegExp(`[${[...QUOTES].filter((mark) => !own.includes(mark)).join('')}]`)
}

function latin(ownQuotes: string, ...slips: readonly Slip[]): WritingSystem {
  return {
    foreignLetter: LATIN,
    sentenceEnd: WESTERN,
    foreignQuote: quotesBut(ownQuotes),
    slips: [...CLOSE_MARKS, NO_WIDE_MARKS, ...slips],
  }
}

export const WRITING_SYSTEMS: Readonly<Record<Language, WritingSystem>> = {
  en: latin('‘“”'),
  fr: {
    foreignLetter: LATIN,
    sentenceEnd: WESTERN,
    foreignQuote: quotesBut('«»“”'),
    slips: [
      APOSTROPHE_IS_TYPED,
      NO_WIDE_MARKS,
      { pattern: /[ \u00A0\u202F][,.]/, message: 'a space before a mark' },
      { pattern: /[,.](?=\p{Lu})|[,;!?](?=\p{L})/u, message: 'no space after a mark' },
      {
        pattern: /(?<![\u202F!?…])[;!?]/,
        message: 'no narrow no-break space (U+202F) before ; ! ?',
      },
      {
        pattern: /(?<!\u00A0):|«(?!\u00A0)|(?<!\u00A0)»/,
        message: 'no no-break space (U+00A0) at : « »',
      },
    ],
  },
  es: latin(
    '«»“”‘',
    { pattern: /^(?![^¿?]*(?:¿[^¿?]*\?+[^¿?]*)*$)/, message: '¿ and ? do not pair' },
    { pattern: /^(?![^¡!]*(?:¡[^¡!]*!+[^¡!]*)*$)/, message: '¡ and ! do not pair' },
  ),
  de: latin('„“‚‘»«'),
  it: latin('«»“”‘'),
  pt: latin('“”‘«»'),
  nl: latin('‘“”„'),
  pl: latin('„”«»‚'),
  sv: latin('”»'),
  tr: latin('“”‘«»'),
  ru: {
    foreignLetter: /(?!\p{Script=Cyrillic})\p{L}/u,
    sentenceEnd: WESTERN,
    foreignQuote: quotesBut('«»„“'),
    slips: [...CLOSE_MARKS, NO_WIDE_MARKS],
  },
  ja: {
    foreignLetter: new RegExp(`(?![${HAN}ー々])\\p{L}`, 'u'),
    sentenceEnd: EASTERN,
    foreignQuote: quotesBut('「」『』'),
    slips: WIDE_MARKS,
  },
  zh: {
    foreignLetter: /(?!\p{Script=Han})\p{L}/u,
    sentenceEnd: EASTERN,
    foreignQuote: quotesBut('“”‘《》'),
    slips: [...WIDE_MARKS, { pattern: /、$/, message: 'a comma at the end' }],
  },
  ar: {
    foreignLetter: /(?!\p{Script=Arabic})\p{L}|\u0640/u,
    sentenceEnd: /[.!؟…]/,
    foreignQuote: quotesBut('«»“”'),
    slips: [
      ...CLOSE_MARKS,
      NO_WIDE_MARKS,
      { pattern: /[,;?]/, message: 'a Latin mark: take ، ؛ ؟' },
    ],
  },
  hi: {
    foreignLetter: /(?!\p{Script=Devanagari})\p{L}/u,
    sentenceEnd: /[।!?…]/,
    foreignQuote: quotesBut('‘“”'),
    slips: [
      ...CLOSE_MARKS,
      NO_WIDE_MARKS,
      { pattern: /\.(?!\d)/, message: 'a full stop: take the danda (।)' },
    ],
  },
}
