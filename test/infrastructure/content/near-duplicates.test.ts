import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { distance } from 'fastest-levenshtein'
import { findNearDuplicates } from '../../../infrastructure/content/near-duplicates.ts'

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
  })

  test('leaves different texts alone, short ones and empty lists too', () => {
    expect(findNearDuplicates(['I am tired.', 'I am late.', 'Not tonight.'])).toEqual([])
    expect(findNearDuplicates([])).toEqual([])
    expect(findNearDuplicates(['alone'])).toEqual([])
  })

  test('takes texts without a single letter for the same', () => {
    expect(findNearDuplicates(['…', '?!'])).toEqual([{ first: 0, second: 1, distance: 0 }])
  })

  test('its short cuts never miss a pair that comparing all with all would find', () => {
    const letters = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', 'd', 'é', '日'),
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
        const normal = texts.map((text) => text.normalize('NFKD').replace(/[^\p{L}\p{M}]/gu, ''))
        const expected = normal.flatMap((text, second) =>
          normal.slice(0, second).flatMap((other, first) => {
            const length = Math.max(text.length, other.length)
            const far = length === 0 ? 0 : distance(text, other) / length
            return far < 0.3 ? [{ first, second, distance: far }] : []
          }),
        )
        expect(findNearDuplicates(texts)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})
