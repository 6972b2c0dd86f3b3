import { expect, spyOn, test } from 'bun:test'
import { randomBytes, randomIndex } from '../../../infrastructure/secrets/random.ts'

/** Lets chance bring these numbers, one a call. */
function rigged(...numbers: readonly number[]) {
  const left = [...numbers]
  return spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    if (array instanceof Uint32Array) array[0] = left.shift() ?? 0
    return array
  })
}

test('bytes of chance are as many as asked for, and others each time', () => {
  expect(randomBytes(16)).toHaveLength(16)
  expect(randomBytes(16)).not.toEqual(randomBytes(16))
})

test('an index is a whole number below the bound, and each of them comes', () => {
  const seen = new Set(Array.from({ length: 1000 }, () => randomIndex(7)))
  expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(randomIndex(1)).toBe(0)
})

test('a number that would make some indices likelier is drawn again', () => {
  // 2^32 is 613,566,756 times 7, and 4.
  using chance = rigged(2 ** 32 - 1, 2 ** 32 - 4, 2 ** 32 - 5)
  expect(randomIndex(7)).toBe(6)
  expect(chance).toHaveBeenCalledTimes(3)
})

test('the whole range of a bound that divides it is fair', () => {
  using chance = rigged(2 ** 32 - 1)
  expect(randomIndex(256)).toBe(255)
  expect(chance).toHaveBeenCalledTimes(1)
})

test.each([0, -1, Number.NaN, 2 ** 32 + 1])(
  'an index below %p is refused, and not looked for without end',
  (bound) => {
    expect(() => randomIndex(bound)).toThrow(RangeError)
  },
)
