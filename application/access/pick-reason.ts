import { drawFrom, type Wanted } from '../../domain/deck.ts'
import type { Email } from '../../domain/email.ts'
import { chooseExcuses, type ExcuseChoice, type WidenedPart } from '../../domain/excuse.ts'
import type { Language } from '../../domain/language.ts'
import type { LanguageContent, Ports } from '../ports.ts'

/** How many choices are remembered in each language. At the next one, all are forgotten. */
const REMEMBERED_CHOICES_MAX = 1000

/** Which excuses a reader may get, and what of their choice was let go because nothing matched all of it. */
type Selection = { readonly wanted: Wanted; readonly widened: readonly WidenedPart[] }

const ALL: Selection = { wanted: null, widened: [] }

type Picked = {
  readonly reason: string
  readonly language: Language
  /** In the order in which it was let go. */
  readonly widened: readonly WidenedPart[]
}

/**
 * Picks an excuse in a language, or in the default language where that one has no content: one that matches the choice,
 * any where that is null. A reader gets none again before they had all that match.
 */
export function reasonPicker(
  ports: Pick<Ports, 'content' | 'decks' | 'secrets'>,
): (wish: { email: Email; language: Language; choice: ExcuseChoice | null }) => Picked {
  const select = selector()
  return ({ email, language: asked, choice }) => {
    const content = ports.content.in(asked)
    const { excuses, language } = content
    const { wanted, widened } = choice ? select(content, choice) : ALL
    const place = ports.decks.deal(email, { language, count: excuses.length }, (deck) =>
      drawFrom(deck, wanted, ports.secrets.randomIndex),
    )
    const excuse = place === undefined ? undefined : excuses[place]
    if (excuse === undefined) throw new Error(`no excuses in ${language}`)
    return { reason: excuse.text, language, widened }
  }
}

/** Selects by choice, and remembers what it found: to look through all excuses takes as long as a request. */
function selector(): (content: LanguageContent, choice: ExcuseChoice) => Selection {
  const byLanguage = new Map<Language, ReturnType<typeof selectorOf>>()
  return (content, choice) => {
    const known = byLanguage.get(content.language) ?? selectorOf(content)
    byLanguage.set(content.language, known)
    return known(choice)
  }
}

function selectorOf({ excuses }: LanguageContent): (choice: ExcuseChoice) => Selection {
  const needs = new Set(excuses.flatMap((excuse) => excuse.needs))
  const remembered = new Map<string, Selection>()
  return ({ tags, isShort, without }) => {
    // Words that no excuse needs exclude nothing, and there is no end to them.
    const lacking = [...new Set(without)].filter((need) => needs.has(need)).sort()
    const key = JSON.stringify([tags.occasion, tags.to, tags.tone, isShort, lacking])
    const known = remembered.get(key)
    if (known) return known
    const { places, widened } = chooseExcuses(excuses, { tags, isShort, without: lacking })
    const chosen = new Set(places)
    const selection = { wanted: excuses.map((_, place) => chosen.has(place)), widened }
    if (remembered.size >= REMEMBERED_CHOICES_MAX) remembered.clear()
    remembered.set(key, selection)
    return selection
  }
}
