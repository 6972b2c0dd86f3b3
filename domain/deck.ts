/** How one reader has been through a list. */
export type Deck = {
  /** Every place of the list, once: first those that were had, the one longest ago first, then all others. */
  readonly places: ArrayLike<number>
  /** How many were had. */
  readonly had: number
}

/** Whether each place of the list is one that is asked for; null where all of them are. */
export type Wanted = readonly boolean[] | null

/**
 * Where in the deck the next place is that a reader gets: one they never had, each as likely as any other, and once
 * they have had all that are wanted, the one that was had longest ago. So between two times that a reader gets a place,
 * they get all others that are wanted, whatever else they ask for meanwhile. Undefined where none is wanted.
 */
export function drawFrom(
  deck: Deck,
  wanted: Wanted,
  randomIndex: (bound: number) => number,
): number | undefined {
  const { places, had } = deck
  if (wanted === null) {
    if (had < places.length) return had + randomIndex(places.length - had)
    return places.length > 0 ? 0 : undefined
  }
  const isWanted = (index: number) => wanted[places[index] ?? -1] === true
  let fresh = 0
  for (let index = had; index < places.length; index += 1) fresh += isWanted(index) ? 1 : 0
  return fresh > 0
    ? nthIndex(isWanted, { from: had, to: places.length, count: randomIndex(fresh) })
    : nthIndex(isWanted, { from: 0, to: had, count: 0 })
}

/** The index at which `isWanted` is true for the first time after it was so `count` times. */
function nthIndex(
  isWanted: (index: number) => boolean,
  { from, to, count }: { from: number; to: number; count: number },
): number | undefined {
  let left = count
  for (let index = from; index < to; index += 1) {
    if (!isWanted(index)) continue
    if (left === 0) return index
    left -= 1
  }
  return undefined
}
