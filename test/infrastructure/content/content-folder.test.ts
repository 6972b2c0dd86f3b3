import { describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { describeProblem } from '../../../application/content/content-files.ts'
import { LANGUAGES } from '../../../domain/language.ts'
import { BUILT_IN_LIMITS, OWN_LIMITS } from '../../../infrastructure/content/check-content.ts'
import { readContentFolder } from '../../../infrastructure/content/content-folder.ts'
import { contentFolder, OWN_WORDS, problemsOf } from '../../support/content-folders.ts'
import { excuse } from '../../support/fakes.ts'

const REASONS = { strings: OWN_WORDS, reasons: ['Rain on the roof.', 'A letter from nobody.'] }

describe('a folder of content', () => {
  test('is read file by file, with the line on which each text stands', () => {
    using content = contentFolder({
      'en.json': '{\n"strings": {"title": "Poems"},\n\n"reasons": [\n"One.", "Two.",\n"Three."]}',
      'sv.json': { strings: { title: 'Dikter' }, reasons: ['Ett regn.'] },
    })
    const { files, problems } = readContentFolder(content.path, OWN_LIMITS)
    expect(problems.filter(({ level }) => level === 'error')).toEqual([])
    expect(files).toEqual([
      {
        file: 'en.json',
        language: 'en',
        strings: new Map([['title', { text: 'Poems', line: 2 }]]),
        reasons: [
          { ...excuse('One.'), line: 5 },
          { ...excuse('Two.'), line: 5 },
          { ...excuse('Three.'), line: 6 },
        ],
      },
      {
        file: 'sv.json',
        language: 'sv',
        strings: new Map([['title', { text: 'Dikter', line: 3 }]]),
        reasons: [{ ...excuse('Ett regn.'), line: 6 }],
      },
    ])
  })

  test('may say of each excuse what it is for, in one word or several', () => {
    using content = contentFolder({
      'en.json': {
        reasons: [
          'Plain.',
          { text: 'For some.', occasion: 'birthday', to: ['friends', 'work'], tone: 'plain' },
          { sample: true, needs: ['child', 'spare-time'], text: 'With a child.' },
        ],
      },
    })
    const { files, problems } = readContentFolder(content.path, OWN_LIMITS)
    expect(problems).toEqual([])
    expect(files[0]?.reasons).toEqual([
      { ...excuse('Plain.'), line: 3 },
      {
        ...excuse('For some.', {
          tags: { occasion: ['birthday'], to: ['friends', 'work'], tone: ['plain'] },
        }),
        line: 5,
      },
      {
        ...excuse('With a child.', { needs: ['child', 'spare-time'], isSample: true }),
        line: expect.any(Number),
      },
    ])
  })

  test('may have hidden files and other kinds in it, and a byte order mark in its own', () => {
    expect(
      problemsOf({
        'en.json': `\uFEFF${JSON.stringify(REASONS)}`,
        'README.md': '#',
        '._en.json': 'x',
      }),
    ).toEqual([])
  })

  test('needs English, which answers for every language that is not there', () => {
    expect(problemsOf({ 'sv.json': { ...REASONS, reasons: ['Ett regn.'] } })).toEqual([
      'error: en.json (en): the file is missing',
    ])
    expect(problemsOf({})).toEqual(['error: en.json (en): the file is missing'])
  })

  test('needs every language where Alibi’s own is meant', () => {
    const missing = problemsOf({}, BUILT_IN_LIMITS)
    expect(missing).toEqual(
      LANGUAGES.map((language) => `error: ${language}.json (${language}): the file is missing`),
    )
  })

  test('refuses a file whose name is no language of Alibi', () => {
    const problems = problemsOf({ 'en.json': REASONS, 'pt-BR.json': REASONS, 'FR.JSON': REASONS })
    expect(problems).toEqual([
      expect.stringMatching(/^error: FR\.JSON: no name of a content file: those are en\.json, fr/),
      expect.stringMatching(/^error: pt-BR\.json: no name of a content file: those are en\.json/),
    ])
  })

  test('that is not there, or no folder, is a problem like any other', () => {
    using content = contentFolder({ 'en.json': REASONS })
    const problemsAt = (place: string) =>
      readContentFolder(path.join(content.path, place), OWN_LIMITS).problems.map(describeProblem)
    expect(problemsAt('nowhere')).toEqual(['the folder: it cannot be read (ENOENT)'])
    expect(problemsAt('en.json')).toEqual(['the folder: it cannot be read (ENOTDIR)'])
  })
})

test('a part that cannot be read is the only one that is blamed for it', () => {
  const swedish = { strings: { title: 'Dikter' } }
  expect(problemsOf({ 'en.json': '{"strings": []}', 'sv.json': swedish })).toEqual([
    'error: en.json:1 (en): "strings" must be an object: {"…": …}',
  ])
})

test('what is no regular file is not waited for', () => {
  using content = contentFolder({})
  mkdirSync(path.join(content.path, 'en.json'))
  const { problems } = readContentFolder(content.path, OWN_LIMITS)
  expect(problems.map(describeProblem)).toEqual(['en.json (en): it is no regular file'])
})

test('what is quoted from a file cannot begin a line of its own', () => {
  const [problem] = problemsOf({ 'en.json': { strings: { 'a\nalibi: all is well\u2028': 'x' } } })
  expect(problem).toBe(
    'error: en.json:3 (en): strings.a\uFFFDalibi: all is well\uFFFD: a key begins with a letter, ' +
      'and is made of a to z, 0 to 9 and _',
  )
})

describe('a file of content', () => {
  test.each([
    ['', 'en.json:1 (en): it is no JSON: '],
    ['{\n"reasons": [\n"One.",\n]}', 'en.json:4 (en): it is no JSON: '],
    ['{"reasons": ["One."', 'en.json:1 (en): it is no JSON: '],
    ['{\n// why\n"reasons": ["One."]}', 'en.json:2 (en): it is no JSON: '],
    ['["One."]', 'en.json:1 (en): the file must be an object'],
    ['{}', 'en.json (en): there is nothing in it'],
    ['{"reasons": {"one": "One."}}', 'en.json:1 (en): "reasons" must be an array of texts'],
    ['{"reasons": ["One.",\n2]}', 'en.json:2 (en): an excuse must be a text in double quotes'],
    ['{"reasons": [{"to": "work"}]}', 'en.json:1 (en): an excuse lacks its "text"'],
    ['{"reasons": [{"text": 1}]}', 'en.json:1 (en): "text" must be a text in double quotes'],
    [
      '{"reasons": [{"text": "One.",\n"for": "work"}]}',
      'en.json:2 (en): "for" is unknown: an excuse has "text", "occasion", "to", "tone", "needs", "sample"',
    ],
    ...['"Work"', '""', '"at work"', '2', 'null', '["work", true]', `"${'x'.repeat(33)}"`].map(
      (to): [string, string] => [
        `{"reasons": [{"text": "One.",\n"to": ${to}}]}`,
        'en.json:2 (en): "to" must have words of a to z and -, of up to 32 letters',
      ],
    ),
    [
      '{"reasons": [{"text": "One.", "needs": ["car", "car"]}]}',
      'en.json:1 (en): "needs" has a word twice',
    ],
    [
      '{"reasons": [{"text": "One.", "sample": "yes"}]}',
      'en.json:1 (en): "sample" must be true or false',
    ],
    ['{"reasons": [{"text": "One.", "text": "Two."}]}', 'en.json:1 (en): "text" is there twice'],
    [
      '{"reasons": [{"text": "One.", "needs": "car"}, {"text": "Two.", "needs": "pet"}]}',
      'en.json (en): each excuse supposes something: at least one must not',
    ],
    ['{"strings": ["Poems"]}', 'en.json:1 (en): "strings" must be an object'],
    ['{"strings": {\n"title": null}}', 'en.json:2 (en): strings.title must be a text in double'],
    ['{"reasons": ["One."],\n"reason": []}', 'en.json:2 (en): "reason" is unknown'],
    [
      '{"strings": {"title": "A",\n"title": "B"}}',
      'en.json:2 (en): "title" is there twice: also on line 1',
    ],
    ['{"reasons": ["One.\nTwo."]}', 'en.json:1 (en): a line break, a tab'],
    [`{"reasons": ${'['.repeat(100_000)}`, 'en.json (en): it is nested too deeply'],
    ['{"reasons": ["Half \\ud83c"]}', 'en.json:1 (en): half a character'],
    ['{"reasons": []}', 'en.json (en): 0 excuses, at least 1'],
  ])('%j is refused by name and line', (json, problem) => {
    const [first] = problemsOf({ 'en.json': json }).filter((line) => line.startsWith('error'))
    expect(first).toStartWith(`error: ${problem}`)
  })

  test('is refused when it is no UTF-8', () => {
    const latin1 = Buffer.from('{"reasons": ["caf\u00e9"]}', 'latin1')
    expect(problemsOf({ 'en.json': latin1 })).toEqual(['error: en.json (en): it is no UTF-8 text'])
  })
})
