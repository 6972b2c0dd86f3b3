import { describe, expect, test } from 'bun:test'
import type { Decks } from '../../application/content/decks.ts'
import { type Deck, drawFrom } from '../../domain/deck.ts'
import { parseEmail } from '../../domain/email.ts'
import { readerDecks } from '../../infrastructure/reader-decks.ts'

const reader = (number: number) => parseEmail(`reader-${number}@example.com`)
const EN = { language: 'en', count: 3 } as const
const first = () => 0

/** Takes the first place that was never had, else the one that was had longest ago. */
const next = (deck: Deck) => drawFrom(deck, null, first)

const open = (readersMax = 10): Decks => readerDecks({ readersMax })

describe('readerDecks', () => {
  test('shows a new deck with every place, and then what was had in its order', () => {
    const decks = open()
    const seen: unknown[] = []
    const look = (deck: Deck) => {
      seen.push([Array.from(deck.places), deck.had])
      return deck.had === 0 ? 2 : next(deck)
    }
    expect([1, 2, 3, 4].map(() => decks.deal(reader(1), EN, look))).toEqual([2, 1, 0, 2])
    expect(seen).toEqual([
      [[0, 1, 2], 0],
      [[2, 1, 0], 1],
      [[2, 1, 0], 2],
      [[2, 1, 0], 3],
    ])
  })

  test('makes a place that was had before the latest again', () => {
    const decks = open()
    for (let round = 0; round < 3; round += 1) decks.deal(reader(1), EN, next)
    expect(decks.deal(reader(1), EN, () => 1)).toBe(1)
    decks.deal(reader(1), EN, (deck) => {
      expect(Array.from(deck.places)).toEqual([0, 2, 1])
      return undefined
    })
  })

  test('keeps the decks of readers and of languages apart', () => {
    const decks = open()
    expect(decks.deal(reader(1), EN, next)).toBe(0)
    expect(decks.deal(reader(2), EN, next)).toBe(0)
    expect(decks.deal(reader(1), { language: 'sv', count: 2 }, next)).toBe(0)
    expect(decks.deal(reader(1), EN, next)).toBe(1)
  })

  test('changes nothing where nothing is chosen, or what is not there', () => {
    const decks = open()
    expect(decks.deal(reader(1), EN, () => undefined)).toBeUndefined()
    expect(decks.deal(reader(1), EN, () => 3)).toBeUndefined()
    expect(decks.deal(reader(1), { language: 'sv', count: 0 }, next)).toBeUndefined()
    expect(decks.deal(reader(1), EN, next)).toBe(0)
  })

  test('keeps the latest readers whoever else reads, and of all others no more than as many', () => {
    const decks = open(100)
    const hadOf = (number: number) => {
      let had = 0
      decks.deal(reader(number), EN, (deck) => {
        had = deck.had
        return undefined
      })
      return had
    }
    for (let number = 0; number < 1000; number += 1) {
      decks.deal(reader(number), EN, next)
      // One who comes again and again, with almost as many others between.
      if (number % 99 === 0) expect(hadOf(0)).toBe(1)
    }
    const kept = Array.from({ length: 1000 }, (_, number) => 999 - number).map(hadOf)
    expect(kept.slice(0, 99).every((had) => had === 1)).toBe(true)
    expect(kept.filter((had) => had === 1).length).toBeLessThanOrEqual(200)
  })

  test('takes more excuses than two bytes can count', () => {
    const decks = open()
    const many = { language: 'en', count: 70_000 } as const
    expect(decks.deal(reader(1), many, () => 69_999)).toBe(69_999)
    expect(decks.deal(reader(1), many, () => 0)).toBe(69_999)
  })
})
