import { describe, expect, test } from 'bun:test'
import { recentEntries } from '../../infrastructure/recent-entries.ts'
import { seededRandom } from '../support/seeded-random.ts'

/** As many entries as the number says. */
function openEntries(sizeMax: number) {
  return recentEntries<number>({ sizeMax, sizeOf: () => 1 })
}

/** The keys of those that are there. To look changes which ones go next, so it comes last. */
function keysOf(entries: ReturnType<typeof openEntries>, keys: readonly string[]): string[] {
  return keys.filter((key) => entries.find(key) !== null)
}

describe('recent entries', () => {
  test('gives what was kept, the latest of a key, and null for anything else', () => {
    const entries = openEntries(2)
    expect(entries.find('a')).toBeNull()
    entries.keep('a', 1)
    entries.keep('b', 2)
    entries.keep('a', 3)
    expect([entries.find('a'), entries.find('b'), entries.find('c')]).toEqual([3, 2, null])
  })

  test('lets the oldest go where there is no more room', () => {
    const entries = openEntries(3)
    for (const key of ['a', 'b', 'c', 'd', 'e']) entries.keep(key, 0)
    expect(keysOf(entries, ['a', 'b', 'c', 'd', 'e'])).toEqual(['c', 'd', 'e'])
  })

  test('keeps those in use however many come that are asked for once', () => {
    const entries = openEntries(10)
    const inUse = ['a', 'b', 'c', 'd']
    for (const key of inUse) entries.keep(key, 0)
    for (let other = 0; other < 1000; other++) {
      for (const key of inUse) entries.find(key)
      entries.keep(`${other}`, 0)
    }
    expect(keysOf(entries, inUse)).toEqual(inUse)
  })

  test('lets those go that were in use once, and are no more', () => {
    const entries = openEntries(10)
    entries.keep('a', 0)
    for (let times = 0; times < 100; times++) entries.find('a')
    for (let other = 0; other < 20; other++) entries.keep(`${other}`, 0)
    expect(entries.find('a')).toBeNull()
  })

  test('finds room also where everything is in use', () => {
    const entries = openEntries(3)
    for (const key of ['a', 'b', 'c']) {
      entries.keep(key, 0)
      entries.find(key)
    }
    entries.keep('d', 1)
    expect(entries.find('d')).toBe(1)
    expect(keysOf(entries, ['a', 'b', 'c'])).toHaveLength(2)
  })

  test('is never larger than it may be, and leaves out what is larger than all of it', () => {
    const sizeMax = 100
    const kept = new Map<string, number>()
    const entries = recentEntries<number>({ sizeMax, sizeOf: (_, size) => size })
    const random = seededRandom(7)
    for (let step = 0; step < 3000; step++) {
      const key = `${random.below(40)}`
      const size = 1 + random.below(120)
      entries.keep(key, size)
      kept.set(key, size)
      expect(entries.find(key)).toBe(size > sizeMax ? null : size)
      if (step % 100 > 0) continue
      const all = [...kept].map(([one, expected]) => {
        const found = entries.find(one)
        expect([null, expected]).toContain(found)
        return found ?? 0
      })
      expect(all.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(sizeMax)
    }
  })
})
