import { describe, expect, test } from 'bun:test'
import {
  chooseExcuses,
  type ExcuseChoice,
  isShort,
  isTagWord,
  samplesOf,
  type Tag,
  valuesInUse,
} from '../../domain/excuse.ts'
import { excuse } from '../support/fakes.ts'

const tags = (occasion: string[], to: string[], tone: string) => ({ occasion, to, tone: [tone] })

const LONG = 'x'.repeat(61)
const EXCUSES = [
  excuse('late bus', { tags: tags(['late'], ['friends', 'work'], 'plain') }),
  excuse('late child', { tags: tags(['late'], ['work'], 'plain'), needs: ['child'] }),
  excuse(LONG, { tags: tags(['decline', 'cancel'], ['friends'], 'playful') }),
  excuse('tired', { tags: tags(['decline'], ['family'], 'formal') }),
  excuse('without a word'),
]

function choose(
  own: Partial<Record<Tag, string>>,
  { isShort = false, without = [] }: Partial<Omit<ExcuseChoice, 'tags'>> = {},
) {
  const { places, widened } = chooseExcuses(EXCUSES, { tags: own, isShort, without })
  return [places, widened]
}

describe('chooseExcuses', () => {
  test('gives all of them where nothing is asked for', () => {
    expect(choose({})).toEqual([[0, 1, 2, 3, 4], []])
  })

  test('gives those that match all that is asked for, by any value of a tag', () => {
    expect(choose({ occasion: 'late' })).toEqual([[0, 1], []])
    expect(choose({ occasion: 'late', to: 'friends' })).toEqual([[0], []])
    expect(choose({ occasion: 'cancel', to: 'friends', tone: 'playful' })).toEqual([[2], []])
  })

  test('leaves out what supposes something that the sender does not have', () => {
    expect(choose({ occasion: 'late' }, { without: ['child', 'yacht'] })).toEqual([[0], []])
    expect(choose({}, { without: ['child'] })).toEqual([[0, 2, 3, 4], []])
  })

  test('leaves out the long ones where it has to be short', () => {
    expect(choose({}, { isShort: true })).toEqual([[0, 1, 3, 4], []])
  })

  test('lets go of the length first, then the tone, the reader and the occasion', () => {
    expect(choose({ occasion: 'cancel' }, { isShort: true })).toEqual([[2], ['length']])
    expect(choose({ occasion: 'late', tone: 'formal' })).toEqual([[0, 1], ['tone']])
    expect(choose({ occasion: 'late', tone: 'formal' }, { isShort: true })).toEqual([
      [0, 1],
      ['length', 'tone'],
    ])
    expect(choose({ occasion: 'late', to: 'date', tone: 'plain' })).toEqual([
      [0, 1],
      ['tone', 'to'],
    ])
    expect(choose({ occasion: 'miss', to: 'work' })).toEqual([
      [0, 1, 2, 3, 4],
      ['to', 'occasion'],
    ])
  })

  test('names nothing that was not asked for, and never lets go of what the sender lacks', () => {
    expect(choose({ occasion: 'miss' }, { without: ['child'] })).toEqual([
      [0, 2, 3, 4],
      ['occasion'],
    ])
  })

  test('is empty where each excuse supposes something that is missing', () => {
    const needy = [excuse('my car', { needs: ['car'] })]
    const choice = { tags: { tone: 'plain' }, isShort: true, without: ['car'] }
    expect(chooseExcuses(needy, choice)).toEqual({ places: [], widened: ['length', 'tone'] })
  })
})

describe('isShort', () => {
  test('counts what a reader sees as one character once', () => {
    const family = '👨‍👩‍👧‍👦'
    expect(isShort(family.repeat(60))).toBe(true)
    expect(isShort(family.repeat(61))).toBe(false)
    expect(isShort('क्षि'.repeat(60))).toBe(true)
  })

  test('ends at sixty', () => {
    expect(isShort('x'.repeat(60))).toBe(true)
    expect(isShort(LONG)).toBe(false)
  })
})

describe('isTagWord', () => {
  test.each(['late', 'rainy-day', 'x', 'x'.repeat(32)])('takes %p', (word) => {
    expect(isTagWord(word)).toBe(true)
  })

  test.each(['', 'Late', 'rainy day', 'été', 'x1', 'a,b', 'late\n', 'x'.repeat(33)])(
    'takes no %p',
    (word) => {
      expect(isTagWord(word)).toBe(false)
    },
  )
})

describe('samplesOf', () => {
  test('gives the texts of the first three that are marked', () => {
    const excuses = ['one', 'two', 'three', 'four', 'five'].map((text, index) =>
      excuse(text, { isSample: index > 0 }),
    )
    expect(samplesOf(excuses)).toEqual(['two', 'three', 'four'])
    expect(samplesOf([excuse('none')])).toEqual([])
  })
})

test('the values in use are the known ones in their order, then others', () => {
  const own = excuse('for poets', { tags: tags(['birthday', 'late'], ['poets'], 'plain') })
  expect(valuesInUse([own, ...EXCUSES], 'occasion')).toEqual([
    'decline',
    'cancel',
    'late',
    'birthday',
  ])
  expect(valuesInUse([excuse('for nobody')], 'to')).toEqual([])
})
