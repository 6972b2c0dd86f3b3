import { describe, expect, test } from 'bun:test'
import type { Language } from '../../../domain/language.ts'
import {
  findSentenceSlips,
  findSlips,
} from '../../../infrastructure/content/proofreading/text-slips.ts'
import { findFlaws } from '../../../infrastructure/content/text-rules.ts'

const messages = (findings: readonly { message: string }[]) =>
  findings.map(({ message }) => message)

const UNSEEN = 'a line break, a tab or another character that cannot be seen'

describe('a text that no page and no mail can carry', () => {
  test.each([
    ['', 'the text is empty'],
    [' ', 'the text is empty'],
    [' late', 'a space at its beginning or end'],
    ['late\u00A0', 'a space at its beginning or end'],
    ['too  late', 'two spaces side by side'],
    ['too\nlate', UNSEEN],
    ['too\tlate', UNSEEN],
    ['too\u200Blate', UNSEEN],
    ['too\u202Elate', UNSEEN],
    ['too\u2066late', UNSEEN],
    ['too\u2028late', UNSEEN],
    ['too\u2060late', UNSEEN],
    ['\uFEFFlate', UNSEEN],
    ['late \uE000', UNSEEN],
    ['late \uFFFE', UNSEEN],
    ['late \uD83C', 'half a character (a lone surrogate)'],
    ['x\u00A0 y', 'two spaces side by side'],
    ['caf\uFFFD', UNSEEN],
    ['cafe\u0301', 'it is not in Unicode normalisation form C (NFC)'],
  ])('%j: %s', (text, message) => {
    expect(findFlaws(text)).toContainEqual({ level: 'error', message })
  })

  test('is not seen in text that is well formed, whatever its script', () => {
    for (const text of [
      'Late. 🎉',
      'Schiff\u00ADfahrt',
      'Un café ?',
      'मैं देर से आऊँगा।',
      '遅れます。',
      'سأتأخر.',
      '{email}',
    ]) {
      expect(findFlaws(text)).toEqual([])
    }
  })
})

/** Texts that are written as their language wants them, with what each of them shows. */
const RIGHT: readonly (readonly [Language, string])[] = [
  [
    'en',
    'I’m late: the ‘express’ train isn’t. Sorry – may I call at 10:30, or at 3.5 hours’ notice?',
  ],
  [
    'fr',
    'Désolé\u202F! Le train de 10\u00A0h\u00A030 dit\u00A0: «\u00A0attendez\u00A0»\u202F; j’attends… Vous venez\u202F?!',
  ],
  ['es', '¿Me disculpas? ¡No llego! Según el reloj, son las 10:30; qué vergüenza.'],
  ['es', 'Me quedo en casa, ¿te parece?'],
  ['de', 'Der Zug („ICE“) steht. Geht’s um 10:30 Uhr? Einen Moment …'],
  ['it', 'L’autobus è sparito: «arrivo», diceva. Perché no?'],
  ['pt', 'Não dá: o “expresso” atrasou. Você me espera?'],
  ['nl', 'Ik ben zo’n half uur te laat; de ‘sneltrein’ niet. Is dat goed?'],
  ['pl', 'Pociąg „pospieszny” stoi. Czy możemy zacząć później?'],
  ['ru', 'Поезд «Экспресс» стоит – и Wi-Fi тоже. Начнёте без меня?'],
  ['ja', '電車が「すぐ」と言ったまま動きません。10:30にPDFで送ってもよろしいですか？'],
  ['zh', '地铁说“马上”，我信了……晚到10分钟，行吗？'],
  ['ar', 'قال القطار «حالًا»، ثم وقف؛ هل نبدأ متأخرين؟'],
  ['hi', 'ट्रेन ने ‘अभी’ कहा, फिर रुक गई। क्या हम 3.5 बजे मिलें?'],
  ['tr', 'Tren “hemen” dedi; Ankara’da duruyor. Biraz bekler misin?'],
  ['sv', 'Tåget sa ”strax” och står stilla. Börjar ni utan mig?'],
  // Abbreviations, borrowed signs, addresses, and marks inside marks.
  ['en', 'Washington, D.C., U.S. – the .pdf file weighs 5 µg.'],
  ['it', 'La S.p.A. chiude.'],
  ['ru', 'А.С. Пушкин и SIM-карта.'],
  ['tr', 'T.C. ve A.Ş. burada.'],
  ['de', 'Er sagte: »Ich sage ›nein‹.« Diese These hält nicht.'],
  ['nl', 'Ik heb mijn been gebroken, have en goed kwijt.'],
  ['fr', 'Rendez-vous à 10:30\u00A0? «\u202Foui\u202F», dit-il (?)'],
  ['es', '¡¡¡Gol!!! ¿¡Qué!?'],
  ['ja', '〆切はA4用紙とTシャツの件です。'],
  ['zh', '5G手机、T恤和卡拉OK。'],
  ['ar', 'الثمن 1,500 ريال.'],
  ['hi', 'डॉ. शर्मा आज नहीं आएँगे।'],
  ['ja', 'https://example.com/a?b=c と @alibi と ada@example.com'],
  ['ru', '{title}: код отправлен на {email}.'],
  ['ja', '{email}にコードを送りました。'],
]

test.each(RIGHT)('nothing is found where nothing is wrong: %s %s', (language, text) => {
  expect(findSlips(text, language)).toEqual([])
})

const FRENCH = 'no no-break space (U+202F or U+00A0) before ; : ! ? or inside « »'

const WRONG: readonly (readonly [Language, string, string])[] = [
  // The script.
  ['en', 'I am lаte.', 'a letter of another script: а'],
  ['ru', 'Кoд верный.', 'a letter of another script: o'],
  ['ja', 'Emailを送りました。', 'a letter of another script: E'],
  ['zh', '我晚到ㄅ。', 'a letter of another script: ㄅ'],
  ['zh', '電車が来ない。', 'a letter of another script: が'],
  ['ar', 'سأتأخر late.', 'a letter of another script: l'],
  ['ar', 'ســأتأخر.', 'a stretched word (tatweel)'],
  ['hi', 'मैं late हूँ।', 'a letter of another script: l'],
  // English that was left over.
  ...'the with you your yours this those please would could should they their because which there about'
    .split(' ')
    .concat('what when where why our it’s don’t can’t'.split(' '))
    .map((word): [Language, string, string] => [
      'it',
      `Ma ${word} no.`,
      `an English word: ${word}`,
    ]),
  ['sv', 'Please vänta.', 'an English word: Please'],
  ['nl', 'Your code is onjuist.', 'an English word: Your'],
  // Quotation marks and apostrophes.
  ['en', "I'm late.", 'a typewriter’s quotation mark or apostrophe: take the language’s own'],
  ['it', 'Dice "arrivo".', 'a typewriter’s quotation mark or apostrophe: take the language’s own'],
  [
    'ja',
    "電車が'すぐ'来ます。",
    'a typewriter’s quotation mark or apostrophe: take the language’s own',
  ],
  ['en', 'It said „soon”.', 'a quotation mark of another language: „'],
  ['sv', 'Han sa “strax”.', 'a quotation mark of another language: “'],
  ['fr', 'Il dit „non‟.', 'a quotation mark of another language: „'],
  ['ja', '“すぐ”来ます。', 'a quotation mark of another language: “'],
  // Dots, dashes and spaces.
  ['en', 'Well...', 'typewriter’s dots or dashes: take … and –'],
  ['en', 'Late -- again.', 'typewriter’s dots or dashes: take … and –'],
  ['pl', 'No cóż….', 'typewriter’s dots or dashes: take … and –'],
  ['de', 'Geht das ?', 'a space before a mark'],
  ['hi', 'देर हो गई ।', 'a space before a mark'],
  ['it', 'Ciao ,arrivo.', 'a space before a mark'],
  ['it', 'Ciao,arrivo.', 'no space after a mark'],
  ['tr', 'Geldim.Bekle.', 'no space after a mark'],
  ['fr', 'Bonjour.Merci,oui.', 'no space after a mark'],
  // French spaces.
  ['fr', 'Vous venez?', FRENCH],
  ['fr', 'Vous venez ?', FRENCH],
  ['fr', 'Ceci : cela.', FRENCH],
  ['fr', '«oui»', FRENCH],
  ['fr', 'Ceci , cela.', 'a space before a mark'],
  // Spanish marks.
  ['es', 'Vienes?', '¿ and ? do not pair'],
  ['es', '¿Vienes.', '¿ and ? do not pair'],
  ['es', 'Vienes? ¿Sí?', '¿ and ? do not pair'],
  ['es', 'Hola!', '¡ and ! do not pair'],
  ['es', '¡Hola. ¡Adiós!', '¡ and ! do not pair'],
  // Marks of other scripts.
  ['ja', 'はい,そうです。', 'a half-width mark: take 、，。？！：；（）'],
  ['zh', '好吗?', 'a half-width mark: take 、，。？！：；（）'],
  ['zh', '我 晚到。', 'a space between letters that are written without'],
  ['ru', 'Да，нет.', 'a full-width mark, which belongs to Chinese and Japanese'],
  ['ar', 'نعم, لا.', 'a Latin mark: take ، ؛ ؟'],
  ['ar', 'هل?', 'a Latin mark: take ، ؛ ؟'],
  ['hi', 'देर होगी.', 'a full stop: take the danda (।)'],
]

test.each(WRONG)('in %s, %s has %s', (language, text, message) => {
  expect(findSlips(text, language)).toContainEqual({ level: 'warning', message })
})

describe('an excuse', () => {
  const slips = (text: string, language: Language = 'en') =>
    messages(findSentenceSlips(text, { language, sentencesMax: 2 }))

  test('is one or two whole sentences', () => {
    for (const text of ['Late.', 'Late?! Sorry…', 'I said “sorry.”', 'It is 3.5 km. Sorry.']) {
      expect(slips(text)).toEqual([])
    }
    expect(slips('‘Got a minute?’ asked my neighbour, and took thirty. I’m coming.')).toEqual([])
    expect(slips('「まだ？」「まだ。」と娘。もう少し待って。', 'ja')).toEqual([])
    expect(slips('Late. So late! Sorry.')).toEqual(['3 sentences, at most 2'])
    expect(slips('遅れます。すみません。', 'ja')).toEqual([])
    expect(slips('遅れます。本当に。すみません。', 'ja')).toEqual(['3 sentences, at most 2'])
    expect(slips('「すぐ行きます。」', 'ja')).toEqual([])
    expect(slips('देर होगी। माफ़ कीजिए।', 'hi')).toEqual([])
    expect(slips('هل نؤجل؟ أعتذر.', 'ar')).toEqual([])
  })

  test('has a mark at its end, the language’s own', () => {
    expect(slips('Late')).toEqual(['no punctuation mark at its end'])
    expect(slips('遅れます.', 'ja')).toEqual(['no punctuation mark at its end'])
    expect(slips('हाँ.', 'hi')).toEqual(['no punctuation mark at its end'])
  })

  test('begins with a capital where there are capitals', () => {
    expect(slips('late.')).toEqual(['it begins with a small letter'])
    expect(slips('«да».', 'ru')).toEqual(['it begins with a small letter'])
    expect(slips('¿me esperas?', 'es')).toEqual(['it begins with a small letter'])
    expect(slips('¿Me esperas?', 'es')).toEqual([])
    expect(slips('أتأخر.', 'ar')).toEqual([])
    expect(slips('10 Minuten später, bitte.', 'de')).toEqual([])
  })
})
