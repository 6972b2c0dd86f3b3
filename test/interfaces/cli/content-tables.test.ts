import { expect, test } from 'bun:test'
import { countExcuses, excuseTables } from '../../../interfaces/cli/content-tables.ts'
import { excuse } from '../../support/fakes.ts'

const EXCUSES = [
  excuse('One.', {
    tags: { occasion: ['birthday', 'late'], to: ['work'], tone: ['plain'] },
    isSample: true,
  }),
  excuse('x'.repeat(61), {
    tags: { occasion: ['late'], to: ['friends', 'work'], tone: ['plain'] },
    needs: ['car'],
  }),
  excuse('For nothing in particular.'),
]

test('excuses are counted by occasion and reader, the known words first', () => {
  expect(countExcuses(EXCUSES)).toEqual({
    occasions: {
      late: { friends: 1, work: 2, all: 2 },
      birthday: { friends: 0, work: 1, all: 1 },
    },
    tones: { plain: 2 },
    short: 2,
    needing: 1,
    samples: 1,
  })
  expect(Object.keys(countExcuses(EXCUSES)?.occasions ?? {})).toEqual(['late', 'birthday'])
})

test('excuses that do not say what they are for have no counts', () => {
  expect(countExcuses([excuse('One.'), excuse('Two.')])).toBeNull()
  expect(excuseTables([{ language: 'en', counts: null }])).toEqual([])
})

test('the tables have a column for what any language has', () => {
  const dates = [excuse('One.', { tags: { occasion: ['late'], to: ['date'], tone: ['formal'] } })]
  const languages = [
    { language: 'en', counts: countExcuses(EXCUSES) },
    { language: 'fr', counts: null },
    { language: 'sv', counts: countExcuses(dates) },
  ] as const
  expect(excuseTables(languages)).toEqual([
    [
      ['language', 'occasion', 'friends', 'work', 'date', 'all'],
      ['en', 'late', '1', '2', '0', '2'],
      ['en', 'birthday', '0', '1', '0', '1'],
      ['sv', 'late', '0', '0', '1', '1'],
    ],
    [
      ['language', 'plain', 'formal', 'short', 'needing', 'samples'],
      ['en', '2', '0', '2', '1', '1'],
      ['sv', '0', '1', '1', '0', '0'],
    ],
  ])
})
