import type { Decks } from '../application/content/decks.ts'
import type { Deck } from '../domain/deck.ts'
import type { Language } from '../domain/language.ts'

type KeptDeck = Deck & { places: Uint16Array | Uint32Array; had: number }

type DecksByLanguage = Partial<Record<Language, KeptDeck>>

// Why: docs/decisions.md#a-readers-decks-are-kept-in-memory
/**
 * Keeps them in memory, for the latest `readersMax` readers at least and for twice as many at most. A deck takes two
 * bytes for each excuse of its language.
 */
export function readerDecks({ readersMax }: { readersMax: number }): Decks {
  let recent = new Map<string, DecksByLanguage>()
  /** The readers before those, each as they were. */
  let earlier = new Map<string, DecksByLanguage>()

  function decksOf(reader: string): DecksByLanguage {
    const known = recent.get(reader)
    if (known) return known
    const decks = earlier.get(reader) ?? {}
    if (recent.size >= readersMax) {
      earlier = recent
      recent = new Map()
    }
    recent.set(reader, decks)
    return decks
  }

  return {
    deal(reader, { language, count }, choose) {
      const decks = decksOf(reader)
      const deck = decks[language] ?? newDeck(count)
      decks[language] = deck
      const index = choose(deck)
      return index === undefined ? undefined : moveToLatest(deck, index)
    },
  }
}

function newDeck(count: number): KeptDeck {
  const places = count > 0xffff ? new Uint32Array(count) : new Uint16Array(count)
  return { places: places.map((_, place) => place), had: 0 }
}

/** Makes the place at the index the latest that was had, and gives it. */
function moveToLatest(deck: KeptDeck, index: number): number | undefined {
  const { places, had } = deck
  const place = places[index]
  if (place === undefined) return undefined
  if (index >= had) {
    places[index] = places[had] ?? place
    places[had] = place
    deck.had += 1
  } else {
    places.copyWithin(index, index + 1, had)
    places[had - 1] = place
  }
  return place
}
