import { describe, expect, test } from 'bun:test'
import type { Language } from '../../../domain/language.ts'
import {
  findFlaws,
  findSentenceSlips,
  findSlips,
} from '../../../infrastructure/content/text-rules.ts'

const messages = (findings: readonly { message: string }[]) =>
  findings.map(({ message }) => message)

describe('a text that no page and no mail can carry', () => {
  test.each([
    ['', 'there is nothing in it'],
    [' ', 'there is nothing in it'],
    [' late', 'a space at its beginning or end'],
    ['late\u00A0', 'a space at its beginning or end'],
    ['too  late', 'two spaces side by side'],
    ['too\nlate', 'a control character, such as a line break or a tab'],
    ['too\tlate', 'a control character, such as a line break or a tab'],
    ['too\u200Blate', 'an invisible or broken character'],
    ['too\u202Elate', 'an invisible or broken character'],
    ['caf\uFFFD', 'an invisible or broken character'],
    ['cafe\u0301', 'it is not in Unicode normalisation form C (NFC)'],
  ])('%j: %s', (text, message) => {
    expect(findFlaws(text)).toContainEqual({ level: 'error', message })
  })

  test('has no other one beside it', () => {
    for (const text of ['Late.', 'Un café ?', 'मैं देर से आऊँगा।', '遅れます。', 'سأتأخر.', '{email}']) {
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
  ['ru', '{title}: код отправлен на {email}.'],
  ['ja', '{email}にコードを送りました。'],
]

test.each(RIGHT)('nothing is found where nothing is wrong: %s %s', (language, text) => {
  expect(findSlips(text, language)).toEqual([])
})

const WRONG: readonly (readonly [Language, string, string])[] = [
  // The script.
  ['en', 'I am lаte.', 'a letter of another script: а'],
  ['ru', 'Кoд верный.', 'a letter of another script: o'],
  ['ja', 'Emailを送りました。', 'a letter of another script: E'],
  ['zh', '我晚到ㄅ。', 'a letter of another script: ㄅ'],
  ['zh', '電車が来ない。', 'a letter of another script: が'],
  ['ar', 'سأتأخر late.', 'a letter of another script: l'],
  ['ar', 'ســأتأخر.', 'a letter of another script: ـ'],
  ['hi', 'मैं late हूँ।', 'a letter of another script: l'],
  // English that was left over.
  ['de', 'Ich komme with the Bus.', 'an English word: with'],
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
  // French spaces.
  ['fr', 'Vous venez?', 'no narrow no-break space (U+202F) before ; ! ?'],
  ['fr', 'Vous venez ?', 'no narrow no-break space (U+202F) before ; ! ?'],
  ['fr', 'Ceci : cela.', 'no no-break space (U+00A0) at : « »'],
  ['fr', '«oui»', 'no no-break space (U+00A0) at : « »'],
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
    expect(slips('Late')).toEqual(['no mark at its end'])
    expect(slips('遅れます.', 'ja')).toEqual(['no mark at its end'])
    expect(slips('हाँ.', 'hi')).toEqual(['no mark at its end'])
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
