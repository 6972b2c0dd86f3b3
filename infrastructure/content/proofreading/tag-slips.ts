import { distance } from 'fastest-levenshtein'
import type {
  ContentExcuse,
  ContentFile,
  ContentProblem,
} from '../../../application/content/content-files.ts'
import { tagStringKey } from '../../../application/content/strings.ts'
import { NEEDS, SAMPLES_MAX, TAG_VALUES, TAGS } from '../../../domain/excuse.ts'
import { problem } from '../check-content.ts'
import { warning } from '../text-rules.ts'

/** By how many letters, and by which share of them, a word may differ from a known one that is meant. */
const MISSPELT_MAX = 2
const MISSPELT_SHARE_MAX = 0.4

/** What looks wrong in what a file says its excuses are for, each word once. */
export function findTagSlips(file: ContentFile): ContentProblem[] {
  const excuses = file.reasons ?? []
  return [
    ...TAGS.flatMap((tag) =>
      findOwnWords(excuses, (excuse) => excuse.tags[tag], TAG_VALUES[tag]).flatMap(
        ({ word, line, meant }) => [
          ...(meant ? [problem(file, line, misspelt(tag, word, meant))] : []),
          ...(meant || hasName(file, tag, word) ? [] : [problem(file, line, unnamed(tag, word))]),
        ],
      ),
    ),
    ...findOwnWords(excuses, ({ needs }) => needs, NEEDS).flatMap(({ word, line, meant }) =>
      meant ? [problem(file, line, misspelt('needs', word, meant))] : [],
    ),
    ...findSurplusSamples(file, excuses),
  ]
}

/** Words that are not known, where they stand first, and the known one that is meant where one is nearly the same. */
function findOwnWords(
  excuses: readonly ContentExcuse[],
  wordsOf: (excuse: ContentExcuse) => readonly string[],
  known: readonly string[],
): { word: string; line: number; meant: string | undefined }[] {
  const lines = new Map<string, number>()
  for (const excuse of excuses) {
    for (const word of wordsOf(excuse)) {
      if (!known.includes(word) && !lines.has(word)) lines.set(word, excuse.line)
    }
  }
  return [...lines].map(([word, line]) => ({
    word,
    line,
    meant: known.find(
      (one) => distance(one, word) <= Math.min(MISSPELT_MAX, MISSPELT_SHARE_MAX * word.length),
    ),
  }))
}

function hasName({ strings }: ContentFile, tag: string, word: string): boolean {
  return strings?.has(tagStringKey(tag, word)) === true
}

const misspelt = (field: string, word: string, meant: string) =>
  warning(`Alibi knows no "${word}" in "${field}": is "${meant}" meant?`)

const unnamed = (tag: string, word: string) =>
  warning(`"strings" lacks ${tagStringKey(tag, word)}: /app says "${word}" instead`)

function findSurplusSamples(
  file: ContentFile,
  excuses: readonly ContentExcuse[],
): ContentProblem[] {
  const surplus = excuses.filter(({ isSample }) => isSample)[SAMPLES_MAX]
  const message = `more than ${SAMPLES_MAX} samples: only the first ${SAMPLES_MAX} are shown`
  return surplus ? [problem(file, surplus.line, warning(message))] : []
}
