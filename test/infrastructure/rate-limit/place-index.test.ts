import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { placeIndex } from '../../../infrastructure/rate-limit/place-index.ts'

const KEYS = fc.record({
  kind: fc.constantFrom(0, 255),
  high: fc.constantFrom(0, 1, 2 ** 31, 2 ** 32 - 1),
  low: fc.integer({ min: 0, max: 8 }),
})

describe('placeIndex', () => {
  test('finds what was added and not removed, as a map does', () => {
    fc.assert(
      fc.property(fc.array(KEYS, { maxLength: 300 }), fc.integer(), (keys, seed) => {
        const index = placeIndex(40, [seed, ~seed])
        const model = new Map<string, number>()
        for (const key of keys) {
          const name = JSON.stringify(key)
          const place = model.get(name) ?? 0
          expect(index.find(key)).toBe(place)
          if (place !== 0) {
            index.remove(place)
            model.delete(name)
          } else if (model.size < 40) {
            const added = index.add(key)
            expect(added).toBeWithin(1, 41)
            expect([...model.values()]).not.toContain(added)
            model.set(name, added)
          }
          expect(index.size()).toBe(model.size)
        }
      }),
    )
  })

  test('grows without losing a place', () => {
    const index = placeIndex(20_000, [1, 2])
    const keys = Array.from({ length: 20_000 }, (_, low) => ({ kind: 1, high: low * 7, low }))
    const places = keys.map((key) => index.add(key))
    expect(keys.map((key) => index.find(key))).toEqual(places)
    expect(new Set(places).size).toBe(20_000)
  })
})
