import type { Deck } from '../../domain/deck.ts'
import type { Email } from '../../domain/email.ts'
import type { Language } from '../../domain/language.ts'

/** Each reader's deck in each language. A reader may be forgotten, but never mixed up with another. */
export type Decks = {
  /**
   * Gives the place that `choose` finds in the reader's deck, by its index there, and makes it the latest that the
   * reader had. A new deck has the places 0 to `count` - 1, none of which was had. Undefined where `choose` finds none,
   * or one that is not there; nothing changes then.
   */
  deal(
    reader: Email,
    list: { readonly language: Language; readonly count: number },
    choose: (deck: Deck) => number | undefined,
  ): number | undefined
}
