import type { Language } from '../../../domain/language.ts'

/** How a language is written, as far as a program can tell. */
type WritingSystem = {
  /** A letter of another script. */
  readonly foreignLetter: RegExp
  /** A whole text that ends like a sentence. */
  readonly ended: RegExp
  /** Each end of a sentence in a text. */
  readonly sentenceEnds: RegExp
  /** Quotation marks it does not use. The apostrophe is no quotation mark. */
  readonly foreignQuote: RegExp
  /** What its own rules forbid, in words for the person who corrects it. */
  readonly slips: readonly Slip[]
}

type Slip = { readonly pattern: RegExp; readonly message: string }

const EAST_ASIAN_LETTERS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`

/** Any letter except those of these scripts, and those that several scripts share, such as µ, ー and 〆. */
function lettersBut(...scripts: readonly string[]): RegExp {
  const own = ['Common', ...scripts].map((script) => `\\p{Script=${script}}`).join('')
  return new RegExp(`(?![${own}])\\p{L}`, 'u')
}

const QUOTES = '«»‹›„“”‟‚‘‛「」『』《》〈〉'
const TYPEWRITER_QUOTE: Slip = {
  pattern: /["'`´]/,
  message: 'a typewriter’s quotation mark or apostrophe: take the language’s own',
}

const NO_SPACE_AFTER_MARK: Slip = {
  // Short words before a full stop are abbreviations: U.S., S.p.A., А.С.
  pattern: /[,;!?؟،؛।](?=\p{L})|(?<=\p{L}[\p{Ll}\p{M}]{2})\.(?=\p{Lu})/u,
  message: 'no space after a mark',
}

/** For languages that write marks close to the word before them and a space behind. */
const CLOSE_MARKS: readonly Slip[] = [
  TYPEWRITER_QUOTE,
  {
    pattern: /[ \u00A0\u202F](?:[,;:!?؟،؛।]|\.(?!\p{L}|\d))/u,
    message: 'a space before a mark',
  },
  NO_SPACE_AFTER_MARK,
]

/** Not in Chinese and Japanese, where every mark takes a letter’s place. */
const NO_WIDE_MARKS: Slip = {
  pattern: /[，。！？：；（）、]/,
  message: 'a full-width mark, which belongs to Chinese and Japanese',
}

const WIDE_MARKS: readonly Slip[] = [
  TYPEWRITER_QUOTE,
  {
    pattern: /(?<!\d)[,.?!:;()]|[,.?!:;()](?!\d)/,
    message: 'a half-width mark: take 、，。？！：；（）',
  },
  {
    pattern: new RegExp(`[${EAST_ASIAN_LETTERS}，。！？：；、] +[${EAST_ASIAN_LETTERS}]`, 'u'),
    message: 'a space between letters that are written without',
  },
]

type Endings = Pick<WritingSystem, 'ended' | 'sentenceEnds'>

/** Where sentences end with one of these marks and a space. A closing quotation mark or bracket may stand between. */
function endingsBeforeSpace(marks: string): Endings {
  const end = `[${marks}]+[»”“’)]*`
  // A sentence that goes on in small letters has not ended: the mark belongs to a quotation inside.
  return { ended: new RegExp(`${end}$`), sentenceEnds: new RegExp(`${end}(?=\\s+\\P{Ll}|$)`, 'gu') }
}

const WESTERN = endingsBeforeSpace('.!?…')
const EAST_ASIAN_ENDINGS: Endings = {
  ended: /[。！？…][”’」』）]*$/,
  // A mark before a closing quotation mark ends the quotation, not the sentence around it.
  sentenceEnds: /[。！？…]+(?![”」』])/g,
}

/** Any quotation mark but those of a language. */
function quotesBut(own: string): RegExp {
  return new RegExp(`[${[...QUOTES].filter((mark) => !own.includes(mark)).join('')}]`)
}

function latin(ownQuotes: string, ...slips: readonly Slip[]): WritingSystem {
  return {
    foreignLetter: lettersBut('Latin'),
    ...WESTERN,
    foreignQuote: quotesBut(ownQuotes),
    slips: [...CLOSE_MARKS, NO_WIDE_MARKS, ...slips],
  }
}

export const WRITING_SYSTEMS: Readonly<Record<Language, WritingSystem>> = {
  en: latin('‘“”'),
  fr: {
    foreignLetter: lettersBut('Latin'),
    ...WESTERN,
    foreignQuote: quotesBut('«»‹›“”'),
    slips: [
      TYPEWRITER_QUOTE,
      NO_WIDE_MARKS,
      { pattern: /[ \u00A0\u202F](?:,|\.(?!\p{L}|\d))/u, message: 'a space before a mark' },
      NO_SPACE_AFTER_MARK,
      {
        pattern:
          /(?<![\u00A0\u202F!?…(])[;!?]|(?<![\u00A0\u202F\d]):|«(?![\u00A0\u202F])|(?<![\u00A0\u202F])»/,
        message: 'no no-break space (U+202F or U+00A0) before ; : ! ? or inside « »',
      },
    ],
  },
  es: latin(
    '«»“”‘',
    { pattern: /^(?![^¿?]*(?:¿+[^¿?]*\?+[^¿?]*)*$)/, message: '¿ and ? do not pair' },
    { pattern: /^(?![^¡!]*(?:¡+[^¡!]*!+[^¡!]*)*$)/, message: '¡ and ! do not pair' },
  ),
  de: latin('„“‚‘»«›‹'),
  it: latin('«»“”‘'),
  pt: latin('“”‘«»'),
  nl: latin('‘“”„‚'),
  pl: latin('„”«»‚'),
  sv: latin('”»'),
  tr: latin('“”‘«»'),
  ru: {
    foreignLetter: lettersBut('Cyrillic'),
    ...WESTERN,
    foreignQuote: quotesBut('«»„“'),
    slips: [...CLOSE_MARKS, NO_WIDE_MARKS],
  },
  ja: {
    foreignLetter: lettersBut('Han', 'Hiragana', 'Katakana'),
    ...EAST_ASIAN_ENDINGS,
    foreignQuote: quotesBut('「」『』《》〈〉'),
    slips: WIDE_MARKS,
  },
  zh: {
    foreignLetter: lettersBut('Han'),
    ...EAST_ASIAN_ENDINGS,
    foreignQuote: quotesBut('“”‘《》〈〉「」『』'),
    slips: WIDE_MARKS,
  },
  ar: {
    foreignLetter: lettersBut('Arabic'),
    ...endingsBeforeSpace('.!؟…'),
    foreignQuote: quotesBut('«»“”'),
    slips: [
      ...CLOSE_MARKS,
      NO_WIDE_MARKS,
      { pattern: /,(?!\d)|[;?]/, message: 'a Latin mark: take ، ؛ ؟' },
      { pattern: /\u0640/, message: 'a stretched word (tatweel)' },
    ],
  },
  hi: {
    foreignLetter: lettersBut('Devanagari'),
    ...endingsBeforeSpace('।!?…'),
    foreignQuote: quotesBut('‘“”'),
    slips: [
      ...CLOSE_MARKS,
      NO_WIDE_MARKS,
      // Short words before a full stop are abbreviations: डॉ.
      {
        pattern: /[\p{L}\p{M}]{4}\.(?!\d)|\.$/u,
        message: 'a full stop: take the danda (।)',
      },
    ],
  },
}
