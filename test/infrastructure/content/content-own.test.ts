import { describe, expect, test } from 'bun:test'
import { describeProblem } from '../../../application/content/content-files.ts'
import { samplesOf, TAG_VALUES } from '../../../domain/excuse.ts'
import { LANGUAGES } from '../../../domain/language.ts'
import { OWN_LIMITS } from '../../../infrastructure/content/check-content.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { readOwnContent } from '../../../infrastructure/content/own-content.ts'
import { proofreadFolder } from '../../../infrastructure/content/proofreading/proofread.ts'
import { contentFolder, problemsOf } from '../../support/content-folders.ts'
import { excuse, textsOf } from '../../support/fakes.ts'
import { processorMs } from '../../support/processor-time.ts'

const builtIn = builtInContent()

function read(files: Readonly<Record<string, unknown>>) {
  using own = contentFolder(files)
  return readOwnContent(own.path)
}

const POEMS = {
  'en.json': {
    strings: { title: 'Poems', generate: 'A poem', poem_by: 'By {poet}' },
    reasons: ['Rain on the roof.', 'A letter from nobody.'],
  },
  'sv.json': {
    strings: { title: 'Dikter', generate: 'En dikt', poem_by: 'Av {poet}' },
    reasons: ['Ett regn.'],
  },
}

describe('the operator’s own content', () => {
  test('replaces the excuses, and those strings that it has', () => {
    const { content, problems } = read(POEMS)
    expect(problems).toEqual([])
    expect(content?.languages).toEqual(['en', 'sv'])
    expect(content?.in('sv')).toEqual({
      language: 'sv',
      excuses: [excuse('Ett regn.')],
      strings: {
        ...builtIn.in('sv').strings,
        title: 'Dikter',
        generate: 'En dikt',
        poem_by: 'Av {poet}',
        open_app: expect.stringContaining('Dikter'),
        mail_code_subject: expect.stringContaining('Dikter'),
        mail_code_secrecy: expect.stringContaining('Dikter'),
        mail_confirmed_subject: expect.stringContaining('Dikter'),
        mail_failed_subject: expect.stringContaining('Dikter'),
      },
    })
  })

  test('adds its own words to what excuses can be asked for by', () => {
    const { content } = read({
      'en.json': {
        reasons: [
          { text: 'Rain.', occasion: 'birthday', to: ['work', 'poets'], needs: ['umbrella'] },
          { text: 'Snow.', sample: true },
        ],
      },
      'sv.json': { reasons: [{ text: 'Regn.', tone: 'blue', occasion: 'birthday' }] },
    })
    const { occasion, to, tone } = TAG_VALUES
    expect(content?.tagValues).toEqual({
      occasion: [...occasion, 'birthday'],
      to: [...to, 'poets'],
      tone: [...tone, 'blue'],
    })
    expect(content?.in('en').excuses).toEqual([
      excuse('Rain.', {
        tags: { occasion: ['birthday'], to: ['work', 'poets'], tone: [] },
        needs: ['umbrella'],
      }),
      excuse('Snow.', { isSample: true }),
    ])
  })

  test('leaves nothing of the built-in name, whatever the new one has in it', () => {
    for (const title of ['Poems', '$& $1 $$', 'Über “Poems” & Co']) {
      const files = Object.fromEntries(
        LANGUAGES.map((language) => [`${language}.json`, { strings: { title } }]),
      )
      const { content } = read(files)
      expect(content?.languages).toEqual([...LANGUAGES])
      for (const language of LANGUAGES) {
        const { strings } = content!.in(language)
        expect(Object.values(strings).join('\n')).not.toMatch(/alibi|\{title\}/i)
        expect(strings.mail_code_subject).toContain(title)
      }
    }
  })

  test('answers for a language that it lacks in English, and says so', () => {
    const { content } = read(POEMS)
    expect(content?.in('fr')).toEqual(content!.in('en'))
    expect(content?.in('fr').language).toBe('en')
  })

  test('may rename the product alone: the excuses stay, in every language', () => {
    const { content, problems } = read({
      'en.json': { strings: { title: 'Ways Out' } },
      'sv.json': { strings: { title: 'Utvägar' } },
    })
    expect(problems).toEqual([])
    expect(content?.languages).toEqual([...LANGUAGES])
    for (const language of LANGUAGES) {
      const { excuses, strings } = content!.in(language)
      expect(excuses).toEqual(builtIn.in(language).excuses)
      const title = language === 'sv' ? 'Utvägar' : 'Ways Out'
      expect(strings).toEqual(
        JSON.parse(JSON.stringify(builtIn.in(language).strings).replaceAll('Alibi', title)),
      )
    }
  })

  test('has a key of its own in every language that is served', () => {
    const { content } = read({ 'en.json': { strings: { title: 'Ways Out', my_key: 'Mine' } } })
    for (const language of LANGUAGES) expect(content?.in(language).strings['my_key']).toBe('Mine')
  })

  test('is served with a slip of the pen in it', () => {
    const { content, problems } = read({ 'en.json': { reasons: ["It's late."] } })
    expect(textsOf(content!.in('en'))).toEqual(["It's late."])
    expect(problems).toEqual([])
  })

  test('is not served with a fault in it, whichever file that is in', () => {
    const swedish = { ...POEMS['sv.json'], reasons: ['Ett regn.', ''] }
    const { content, problems } = read({ ...POEMS, 'sv.json': swedish })
    expect(content).toBeNull()
    expect(problems.map(describeProblem)).toEqual(['sv.json:9 (sv): the text is empty'])
  })
})

test('the most that is compared is proofread, and the time for more grows with their number alone', async () => {
  const english = textsOf(builtIn.in('en'))
  async function proofread(reasons: readonly string[]): Promise<number> {
    const files = LANGUAGES.map((language) => [`${language}.json`, { reasons }])
    using own = contentFolder(Object.fromEntries(files))
    const tookMs = await processorMs(() => proofreadFolder(own.path, OWN_LIMITS))
    expect(readOwnContent(own.path).content?.languages).toEqual([...LANGUAGES])
    return tookMs
  }
  const some = (count: number) =>
    Array.from({ length: count }, (_, at) => `${at} ${english[at % 300]}`)

  const pairs = Array.from(
    { length: 400 },
    (_, at) => `${english[at % 300]} ${english[(at * 7) % 300]}`,
  )
  await proofread(pairs.map((text, at) => `${text} ${at}`.slice(-230).trim()))
  const [few, many] = [await proofread(some(500)), await proofread(some(5000))]
  console.log(`to proofread 500 texts takes ${few.toFixed()} ms, and 5,000 ${many.toFixed()} ms`)
  // With the square it would be a hundred times as much.
  expect(many / few).toBeLessThan(40)
})

test('the example of docs/content.md is served as it stands', async () => {
  const page = await Bun.file(new URL('../../../docs/content.md', import.meta.url)).text()
  const [file = '', entry = ''] = Array.from(
    page.matchAll(/```json\n(.+?)```/gs),
    ([, text]) => text,
  )
  expect(problemsOf({ 'en.json': file })).toEqual([])
  const { content } = read({ 'en.json': file })
  const { strings, reasons } = JSON.parse(file)
  expect(content?.in('en').strings).toMatchObject(strings)
  expect(textsOf(content!.in('en'))).toEqual([reasons[0], reasons[1].text])
  expect(samplesOf(content!.in('en').excuses)).toEqual([reasons[1].text])

  const named = { ...strings, occasion_birthday: 'A birthday' }
  const withEntry = { strings: named, reasons: [...reasons, JSON.parse(entry)] }
  expect(problemsOf({ 'en.json': withEntry })).toEqual([])
})
