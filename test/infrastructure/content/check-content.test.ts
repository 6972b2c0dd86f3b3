import { describe, expect, test } from 'bun:test'
import { BUILT_IN_LIMITS, OWN_LIMITS } from '../../../infrastructure/content/check-content.ts'
import { OWN_WORDS, problemsOf } from '../../support/content-folders.ts'

describe('excuses', () => {
  const inEnglish = (reasons: readonly string[], limits = OWN_LIMITS) =>
    problemsOf({ 'en.json': { reasons, strings: OWN_WORDS } }, limits)

  test('may be up to 2,000 characters long, counted in code points', () => {
    expect(inEnglish(['\u{1F3AD}'.repeat(2000)])).toEqual([])
    expect(inEnglish(['x'.repeat(2001)])).toEqual([
      'error: en.json:3 (en): 2001 characters, at most 2000',
    ])
  })

  test('with a placeholder are reported, because the service does not fill it in', () => {
    expect(inEnglish(['Dear {first name}, no.'])).toEqual([
      'warning: en.json:3 (en): nobody fills in what stands in braces',
    ])
  })

  test('need be no sentences where something else is sold', () => {
    expect(inEnglish(['rain on the roof', 'One. Two. Three.'])).toEqual([])
  })

  test('that say the same, or nearly, are pointed out on the later line', () => {
    const reasons = ['The bus stands in the rain.', 'An old tree.', 'The bus stands in the train.']
    expect(inEnglish([...reasons, 'AN OLD TREE!'])).toEqual([
      'warning: en.json:5 (en): nearly the same as line 3 (distance 0.05)',
      'warning: en.json:6 (en): the same as line 4, but for case, marks or spaces',
    ])
  })

  test('are refused when one stands there twice: it would come twice in a row', () => {
    expect(inEnglish(['Rain.', 'Snow.', 'Rain.', 'Rain.'])).toEqual([
      'error: en.json:5 (en): the same as line 3',
      'error: en.json:6 (en): the same as line 3',
    ])
  })

  test('are told when there are too many to look for those that are nearly the same', () => {
    const many = Array.from({ length: 401 }, (_, at) => `Poem ${Bun.hash(String(at)).toString(36)}`)
    expect(inEnglish(many)).toEqual([
      'warning: en.json (en): there are too many to look for those that are nearly the same',
    ])
  })

  test('that stand in English in another language’s file are pointed out', () => {
    const problems = problemsOf({
      'en.json': { reasons: ['My cat is ill.', 'Rain.'] },
      'fr.json': { reasons: ['My cat is ill.', 'Pluie.'] },
    })
    expect(problems).toContain('warning: fr.json:3 (fr): it is left in English')
  })

  test('of one’s own are not sold with the words for Alibi’s unnoticed', () => {
    expect(problemsOf({ 'en.json': { reasons: ['Rain.'], strings: { title: 'Poems' } } })).toEqual([
      'warning: en.json (en): "strings" lacks subtitle, pitch, generate, another, reason_label: ' +
        'the built-in words speak of excuses',
    ])
  })

  test('are warned about, not refused, for a slip of the pen', () => {
    expect(inEnglish(["It's late."])).toEqual([
      'warning: en.json:3 (en): a typewriter’s quotation mark or apostrophe: take the language’s own',
    ])
  })

  test('of Alibi itself are 320 or more, of at most 200 characters and two sentences', () => {
    const limits = { ...BUILT_IN_LIMITS, isComplete: false }
    expect(inEnglish(['a. B. C.', `${'X'.repeat(200)}.`], limits)).toEqual([
      'error: en.json (en): 2 excuses, at least 320',
      'warning: en.json:3 (en): it begins with a small letter',
      'warning: en.json:3 (en): 3 sentences, at most 2',
      'error: en.json:4 (en): 201 characters, at most 200',
    ])
  })
})

describe('strings', () => {
  const inEnglish = (strings: Record<string, string>) => problemsOf({ 'en.json': { strings } })
  const inTwo = (en: Record<string, string>, pl: Record<string, string>) =>
    problemsOf({ 'en.json': { strings: en }, 'pl.json': { strings: pl } })

  test('may be some of Alibi’s, and others of one’s own', () => {
    expect(
      inTwo(
        { title: 'Poems', mail_code_subject: '{code} for {title}', poem_by: 'A poem by {poet}' },
        { title: 'Wiersze', mail_code_subject: '{code} do {title}', poem_by: 'Wiersz: {poet}' },
      ),
    ).toEqual([])
  })

  test('have to have the placeholders that are filled in, and no others', () => {
    expect(inEnglish({ code_sent: 'Sent.', buy: 'Buy for {price}' })).toEqual([
      'error: en.json:3 (en): strings.code_sent: the placeholder {email} is missing',
      'error: en.json:4 (en): strings.buy: nobody fills in {price}',
    ])
    expect(inTwo({ poem_by: 'A poem by {poet}' }, { poem_by: 'Wiersz {poeta}' })).toEqual([
      'warning: pl.json:3 (pl): strings.poem_by: the placeholder {poet} is missing',
      'warning: pl.json:3 (pl): strings.poem_by: nobody fills in {poeta}',
    ])
  })

  test('have braces around placeholders alone', () => {
    expect(inEnglish({ code_sent: 'Sent to {email}, {or so' })).toEqual([
      'error: en.json:3 (en): strings.code_sent: a brace that belongs to no placeholder',
    ])
    const own = { poem_by: 'By {{poet}}', style: 'a { color: red }' }
    expect(inEnglish(own)).toEqual([])
  })

  test('of one’s own need not name the product in every language', () => {
    expect(inTwo({ poem_by: '{title} by {poet}' }, { poem_by: 'Wiersz: {poet}' })).toEqual([])
  })

  test('may name the product, but the product not itself', () => {
    expect(inEnglish({ subtitle: 'What {title} is for' })).toEqual([])
    expect(inEnglish({ title: 'My {title}' })).toEqual([
      'error: en.json:3 (en): strings.title: nobody fills in {title}',
    ])
  })

  test('have a subject that opens with the code, as mail programs show it', () => {
    expect(inEnglish({ mail_code_subject: 'Your code: {code}' })).toEqual([
      'error: en.json:3 (en): strings.mail_code_subject: it has to begin with {code}',
    ])
  })

  test('are as short as their place is', () => {
    expect(inEnglish({ generate: 'x'.repeat(41), my_own: 'x'.repeat(2000) })).toEqual([
      'error: en.json:3 (en): strings.generate: 41 characters, at most 40',
    ])
  })

  test('have the same keys in every file', () => {
    expect(inTwo({ title: 'Poems', copy: 'Copy' }, { title: 'Wiersze', share: 'Wyślij' })).toEqual([
      'error: pl.json (pl): strings.copy: it is missing',
      'error: pl.json:4 (pl): strings.share: en.json has no such key',
    ])
  })

  test('have keys that programs can write', () => {
    expect(inEnglish({ 'my key': 'Mine', Über: 'All', '1st': 'One' })).toEqual([
      'error: en.json:3 (en): strings.my key: a key begins with a letter, and is made of a to z, 0 to 9 and _',
      'error: en.json:4 (en): strings.Über: a key begins with a letter, and is made of a to z, 0 to 9 and _',
      'error: en.json:5 (en): strings.1st: a key begins with a letter, and is made of a to z, 0 to 9 and _',
    ])
  })

  test('that count have every form of their language, and no other', () => {
    const english = { poems_one: 'One poem', poems_other: '{count} poems' }
    const polish = { poems_one: 'Jeden wiersz', poems_few: '{count} wiersze' }
    expect(
      inTwo(english, { ...polish, poems_many: '{count} wierszy', poems_other: '{count} wiersza' }),
    ).toEqual([])
    expect(inTwo(english, { ...polish, poems_two: 'x', poems_other: '{count} wiersza' })).toEqual([
      'error: pl.json (pl): strings.poems_many: it is missing',
      expect.stringContaining('pl.json:5 (pl): strings.poems_two: the plural forms of the lan'),
    ])
  })

  test('of Alibi that count have every form, whatever English has', () => {
    expect(inEnglish({ tries_left_one: 'One try.' })).toEqual([
      'error: en.json (en): strings.tries_left_other: it is missing',
    ])
  })

  test('may end like a plural form without being one', () => {
    const english = { step_one: 'First', step_two: 'Then', mood_one: 'Just one', mood_other: 'New' }
    const polish = {
      step_one: 'Najpierw',
      step_two: 'Potem',
      mood_one: 'Jeden',
      mood_other: 'Nowy',
    }
    expect(inTwo(english, polish)).toEqual([])
  })

  test('that count say the number in every form that stands for more than one', () => {
    const english = { tries_left_one: 'One try.', tries_left_other: '{count} tries.' }
    const forms = { tries_left_few: '{count} a', tries_left_many: '{count} a' }
    const russian = { tries_left_one: 'Одна', ...forms, tries_left_other: '{count} a' }
    const problems = problemsOf({
      'en.json': { strings: english },
      'ru.json': { strings: { ...russian } },
    })
    expect(problems[0]).toBe(
      'error: ru.json:3 (ru): strings.tries_left_one: the placeholder {count} is missing, ' +
        'for this form stands for more than one number',
    )
  })

  test('that are forms of another language’s plural are refused by that alone', () => {
    const english = { tries_left_one: 'One try.', tries_left_other: '{count} tries.' }
    const japanese = { tries_left_one: '1回です。', tries_left_other: 'あと{count}回です。' }
    const problems = problemsOf({
      'en.json': { strings: english },
      'ja.json': { strings: japanese },
    })
    expect(problems).toEqual([
      'error: ja.json:3 (ja): strings.tries_left_one: the plural forms of the language are other',
    ])
  })

  test('with a key that is nearly one of Alibi’s are pointed out', () => {
    expect(inEnglish({ titel: 'Poems', subtitles: 'All of them', poem: 'A poem' })).toEqual([
      'warning: en.json:3 (en): strings.titel: Alibi has no such key: is "title" meant?',
      'warning: en.json:4 (en): strings.subtitles: Alibi has no such key: is "subtitle" meant?',
    ])
  })

  test('of one’s own may be up to 2,000 characters long', () => {
    expect(inEnglish({ my_own: 'x'.repeat(2001) })).toEqual([
      'error: en.json:3 (en): strings.my_own: 2001 characters, at most 2000',
    ])
  })

  test('that are still English are pointed out, but for names and examples', () => {
    const names = { title: 'Poems', email_placeholder: 'ada@example.com', site: 'https://a.b/c?d' }
    const same = { ...names, copy: 'Copy' }
    expect(inTwo(same, same)).toEqual([
      'warning: pl.json:6 (pl): strings.copy: it is left in English',
    ])
  })

  test('of Alibi itself are all there, and no others', () => {
    const limits = { ...BUILT_IN_LIMITS, reasonsMin: 1 }
    const file = { strings: { title: 'Alibi', extra: 'x' }, reasons: ['Late.'] }
    const problems = problemsOf({ 'en.json': file }, limits)
    expect(problems).toContain('error: en.json (en): strings.subtitle: it is missing')
    expect(problems).toContain('error: en.json (en): strings.tries_left_one: it is missing')
    expect(problems).toContain('error: en.json:4 (en): strings.extra: en.json has no such key')
  })
})

test('a part that English has must be in every file, and none that it has not', () => {
  const poems = { reasons: ['Solsken.'] }
  const title = { strings: OWN_WORDS }
  const problem = (part: string) =>
    `error: sv.json (sv): "${part}" must be in every file or in none`
  expect(problemsOf({ 'en.json': poems, 'sv.json': { strings: { title: 'Dikter' } } })).toEqual([
    expect.stringContaining('the built-in words speak of excuses'),
    problem('strings'),
    problem('reasons'),
  ])
  expect(
    problemsOf({ 'en.json': { ...poems, ...title }, 'sv.json': { reasons: ['Regn.'] } }),
  ).toEqual([problem('strings')])
})

test('a part that Alibi itself needs is missed', () => {
  const limits = { ...BUILT_IN_LIMITS, reasonsMin: 1 }
  const problems = problemsOf({ 'en.json': { reasons: ['Late.'] } }, limits)
  expect(problems).toContain('error: en.json (en): "strings" is missing')
})
