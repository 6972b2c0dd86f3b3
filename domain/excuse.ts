/** What an excuse can be chosen by: what it is for, who reads it, and how it says so. */
export const TAGS = ['occasion', 'to', 'tone'] as const

export type Tag = (typeof TAGS)[number]

/** For each tag the words that it can have. */
export type TagValues = Readonly<Record<Tag, readonly string[]>>

/** The values that the built-in excuses have. An operator's own content may add to them. */
export const TAG_VALUES = {
  occasion: ['decline', 'cancel', 'late', 'leave', 'reply', 'miss'],
  to: ['friends', 'family', 'work', 'date'],
  tone: ['plain', 'playful', 'formal'],
} as const satisfies TagValues

/** What the built-in excuses may suppose. An operator's own content may suppose other things. */
export const NEEDS = [
  'child',
  'pet',
  'car',
  'bike',
  'partner',
  'parent',
  'sibling',
  'flatmate',
  'study',
  'club',
  'garden',
] as const

/** Whether it can be the value of a tag, or a word for what an excuse supposes. */
export function isTagWord(word: string): boolean {
  return /^[a-z-]{1,32}$/.test(word)
}

export type Excuse = {
  readonly text: string
  /** Where it has no value of a tag, it matches none that is asked for. */
  readonly tags: TagValues
  /** What it supposes that its sender has (`child`, `car`). */
  readonly needs: readonly string[]
  /** Whether anybody may read it without paying. */
  readonly isSample: boolean
}

/** The values of a tag that some of the excuses have: the known ones in their order, then the operator's own. */
export function valuesInUse(excuses: readonly Excuse[], tag: Tag): string[] {
  const used = new Set(excuses.flatMap(({ tags }) => tags[tag]))
  const known = TAG_VALUES[tag].filter((value) => used.delete(value))
  return [...known, ...used]
}

/** How many excuses of a language anybody may read without paying. */
export const SAMPLES_MAX = 3

/** The texts that anybody may read: of the excuses marked as samples the first ones. */
export function samplesOf(excuses: readonly Excuse[]): readonly string[] {
  return excuses
    .filter(({ isSample }) => isSample)
    .slice(0, SAMPLES_MAX)
    .map(({ text }) => text)
}

/** In grapheme clusters. */
export const SHORT_EXCUSE_MAX = 60

/** What a reader asks for. */
export type ExcuseChoice = {
  readonly tags: Readonly<Partial<Record<Tag, string>>>
  readonly isShort: boolean
  /** What the sender does not have. A word that no excuse needs excludes nothing. */
  readonly without: readonly string[]
}

/** What a choice can be widened by, in the order in which it is let go where nothing matches. */
export const WIDENING_ORDER = ['length', 'tone', 'to', 'occasion'] as const

export type WidenedPart = (typeof WIDENING_ORDER)[number]

export type ChosenExcuses = {
  /** The places of those that match, in their order. Never empty where one of them needs nothing. */
  readonly places: readonly number[]
  /** What was asked for and had to be let go. */
  readonly widened: readonly WidenedPart[]
}

/**
 * The excuses that match all that is asked for. Where there are none, it lets go of one part after the other until
 * there are some, but never of `without`.
 */
export function chooseExcuses(excuses: readonly Excuse[], choice: ExcuseChoice): ChosenExcuses {
  const possible = [...excuses.keys()].filter((place) =>
    excuses[place]?.needs.every((need) => !choice.without.includes(need)),
  )
  const asked = WIDENING_ORDER.filter((part) => isAsked(choice, part))
  for (let count = 0; ; count += 1) {
    const kept = asked.slice(count)
    const places = possible.filter((place) => {
      const excuse = excuses[place]
      return excuse !== undefined && kept.every((part) => matches(excuse, choice, part))
    })
    if (places.length > 0 || count === asked.length) {
      return { places, widened: asked.slice(0, count) }
    }
  }
}

function isAsked(choice: ExcuseChoice, part: WidenedPart): boolean {
  return part === 'length' ? choice.isShort : choice.tags[part] !== undefined
}

function matches(excuse: Excuse, choice: ExcuseChoice, part: WidenedPart): boolean {
  if (part === 'length') return isShort(excuse.text)
  const value = choice.tags[part]
  return value === undefined || excuse.tags[part].includes(value)
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Whether a text has at most `SHORT_EXCUSE_MAX` grapheme clusters, whatever their code points (UAX #29). */
export function isShort(text: string): boolean {
  if (text.length <= SHORT_EXCUSE_MAX) return true
  let length = 0
  for (const _ of GRAPHEMES.segment(text)) {
    length += 1
    if (length > SHORT_EXCUSE_MAX) return false
  }
  return true
}
