import { distance } from 'fastest-levenshtein'
import { findDuplicates } from '../duplicates.ts'

/** A share of the longer text's length: two texts that differ in less express the same idea. */
const DISTANCE_MIN = 0.3

/**
 * Shorter texts are near to many others. Longer ones, and more of them, take too long: the time grows with the square
 * of their length and of their number.
 */
const LETTERS_MIN = 8
const LETTERS_MAX = 200
const TEXTS_MAX = 400

/** A text as it is compared: its letters and digits alone, and the pairs of neighbours among them, sorted. */
type Fingerprint = {
  readonly index: number
  readonly letters: string
  readonly bigrams: Uint32Array
}

/** Two texts, by their places in the list, and their distance: 0 for the same letters. */
type Pair = { readonly first: number; readonly second: number; readonly distance: number }

/**
 * The pairs of different texts that are (nearly) the same but for case, marks and spaces: those whose edit distance
 * (Levenshtein), divided by the length of the longer one, is below `DISTANCE_MIN`. Texts that are too short or too long
 * to compare are left out; null where there are too many.
 */
export function findNearDuplicates(texts: readonly string[]): Pair[] | null {
  const repeated = new Set(findDuplicates(texts).map(({ second }) => second))
  const byLength = texts
    .map(fingerprint)
    .filter(({ index }) => !repeated.has(index))
    .filter(({ letters }) => letters.length >= LETTERS_MIN && letters.length <= LETTERS_MAX)
    .sort((left, right) => left.letters.length - right.letters.length)
  if (byLength.length > TEXTS_MAX) return null
  return byLength
    .flatMap((shorter, place) => {
      const lengthMax = shorter.letters.length / (1 - DISTANCE_MIN)
      const pairs: Pair[] = []
      for (let next = place + 1; next < byLength.length; next += 1) {
        const longer = byLength[next]
        if (!longer || longer.letters.length > lengthMax) break
        const found = compare(shorter, longer)
        if (found !== null) pairs.push(pairOf(shorter.index, longer.index, found))
      }
      return pairs
    })
    .sort((left, right) => left.second - right.second || left.first - right.first)
}

function fingerprint(text: string, index: number): Fingerprint {
  const letters = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
  const bigrams = Uint32Array.from(
    { length: Math.max(0, letters.length - 1) },
    (_, at) => letters.charCodeAt(at) * 65_536 + letters.charCodeAt(at + 1),
  )
  return { index, letters, bigrams: bigrams.sort() }
}

/** Their relative distance; null when it is too large to matter. */
function compare(shorter: Fingerprint, longer: Fingerprint): number | null {
  const length = longer.letters.length
  // One edit ends two bigrams at most, and counting them is many times faster than finding the edits.
  if (lacksMoreThan(2 * DISTANCE_MIN * length, longer.bigrams, shorter.bigrams)) return null
  const relative = distance(shorter.letters, longer.letters) / length
  return relative < DISTANCE_MIN ? relative : null
}

function pairOf(left: number, right: number, found: number): Pair {
  return { first: Math.min(left, right), second: Math.max(left, right), distance: found }
}

/** Whether more than `bound` of the sorted `wanted`, each counted as often as it is there, are not in `given`. */
function lacksMoreThan(bound: number, wanted: Uint32Array, given: Uint32Array): boolean {
  let lacking = 0
  let at = 0
  for (let next = 0; next < wanted.length && lacking <= bound; next += 1) {
    const bigram = wanted[next] ?? 0
    while (at < given.length && (given[at] ?? 0) < bigram) at += 1
    if (at < given.length && given[at] === bigram) at += 1
    else lacking += 1
  }
  return lacking > bound
}
