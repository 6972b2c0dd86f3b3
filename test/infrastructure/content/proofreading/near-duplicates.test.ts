import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { distance } from 'fastest-levenshtein'
import { findDuplicates } from '../../../../infrastructure/content/duplicates.ts'
import { findNearDuplicates } from '../../../../infrastructure/content/proofreading/near-duplicates.ts'

describe('findNearDuplicates', () => {
  test('finds the same text again, whatever its case, marks and spaces', () => {
    const texts = ['My train is late.', 'I am tired.', 'My train… is LATE!', 'ｍｙ train is late']
    expect(findNearDuplicates(texts)).toEqual([
      { first: 0, second: 2, distance: 0 },
      { first: 0, second: 3, distance: 0 },
      { first: 2, second: 3, distance: 0 },
    ])
  })

  test('finds a text with another noun in it', () => {
    const texts = [
      'The plumber can only come this afternoon.',
      'The painter can only come tonight.',
    ]
    expect(findNearDuplicates([...texts, 'The plumber can only come this evening.'])).toEqual([
      { first: 0, second: 2, distance: expect.closeTo(8 / 33, 1) },
    ])
  })

  test('finds it in languages without spaces as well', () => {
    const texts = [
      '急に用事が入ってしまい、今夜は伺えません。',
      '急に用事ができてしまい、今夜は伺えません。',
    ]
    expect(findNearDuplicates(texts)).toMatchObject([{ first: 0, second: 1 }])
  })

  test('draws the line at three tenths of the longer text', () => {
    expect(findNearDuplicates(['abcdefghij', 'abcdefghxy'])).toMatchObject([{ distance: 0.2 }])
    expect(findNearDuplicates(['abcdefghij', 'abcdefgxyz'])).toEqual([])
    // Changes that stand apart leave few pairs of letters as they were.
    const texts = ['abcdefghijklmnopqrst', 'abXdefXhijXlmnXpqrXt']
    expect(findNearDuplicates(texts)).toMatchObject([{ distance: 0.25 }])
  })

  test('leaves different texts alone, short ones and empty lists too', () => {
    expect(findNearDuplicates(['I am tired.', 'I am late.', 'Not tonight.'])).toEqual([])
    expect(findNearDuplicates([])).toEqual([])
    expect(findNearDuplicates(['alone'])).toEqual([])
  })

  test('leaves alone what is too short or too long to compare', () => {
    expect(findNearDuplicates(['🎉', '🍕', 'Rain!', 'Rain?', 'abcdefg', 'abcdefg.'])).toEqual([])
    const long = 'x'.repeat(201)
    expect(findNearDuplicates([long, `${long}.`])).toEqual([])
    expect(findNearDuplicates(['x'.repeat(200), `${'x'.repeat(200)}.`])).toHaveLength(1)
  })

  test('leaves to findDuplicates what is the same to the letter', () => {
    const texts = ['My train is late.', 'I am tired.', 'My train is late.', 'My train is late.']
    expect(findNearDuplicates(texts)).toEqual([])
    expect(findDuplicates(texts)).toEqual([
      { first: 0, second: 2 },
      { first: 0, second: 3 },
    ])
    expect(findDuplicates(['a', 'A', ''])).toEqual([])
  })

  test('says so where there are too many texts to compare', () => {
    const texts = Array.from({ length: 400 }, (_, at) =>
      Bun.hash(String(at)).toString(36).repeat(3),
    )
    expect(findNearDuplicates([...texts.slice(1), `${texts[1]}.`])).toHaveLength(1)
    expect(findNearDuplicates([...texts, `${texts[1]}.`])).toBeNull()
  })

  test('its short cuts never miss a pair that comparing all with all would find', () => {
    const letters = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', 'd', 'é', '日'),
      minLength: 8,
      maxLength: 24,
    })
    const mutated = fc
      .tuple(
        letters,
        fc.array(fc.tuple(fc.nat(23), fc.constantFrom('', 'x', 'ab')), { maxLength: 6 }),
      )
      .map(([text, edits]) =>
        edits.reduce((now, [at, by]) => now.slice(0, at) + by + now.slice(at + 1), text),
      )
    fc.assert(
      fc.property(fc.array(fc.oneof(letters, mutated), { maxLength: 12 }), (texts) => {
        const seen = new Set<string>()
        const normal = texts.map((text) => text.normalize('NFKD').replace(/[^\p{L}\p{M}]/gu, ''))
        const isNew = texts.map((text) => !seen.has(text) && seen.add(text) !== undefined)
        const isCompared = (at: number) => isNew[at] && normal[at]!.length >= 8
        const expected = normal.flatMap((text, second) =>
          normal.slice(0, second).flatMap((other, first) => {
            const far = distance(text, other) / Math.max(text.length, other.length)
            const isNear = isCompared(first) && isCompared(second) && far < 0.3
            return isNear ? [{ first, second, distance: far }] : []
          }),
        )
        expect(findNearDuplicates(texts)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})
