import { type Excuse, isShort, samplesOf, type Tag, valuesInUse } from '../../domain/excuse.ts'
import type { Language } from '../../domain/language.ts'

type Counts = Readonly<Record<string, number>>

/** How many excuses there are for what. */
export type ExcuseCounts = {
  /** By occasion and reader. An excuse counts for each of its occasions and readers, and once for `all`. */
  readonly occasions: Readonly<Record<string, Counts & { readonly all: number }>>
  readonly tones: Counts
  /** Of all of them, those that are short, that suppose something, and that anybody may read. */
  readonly short: number
  readonly needing: number
  readonly samples: number
}

/** Null where none says what it is for. */
export function countExcuses(excuses: readonly Excuse[]): ExcuseCounts | null {
  const occasions = valuesInUse(excuses, 'occasion')
  const readers = valuesInUse(excuses, 'to')
  const tones = valuesInUse(excuses, 'tone')
  if (occasions.length + readers.length + tones.length === 0) return null
  const countFor = (wanted: Partial<Record<Tag, string>>) =>
    excuses.filter(({ tags }) =>
      Object.entries(wanted).every(([tag, value]) => tags[tag as Tag].includes(value)),
    ).length
  return {
    occasions: Object.fromEntries(
      occasions.map((occasion) => [
        occasion,
        {
          ...Object.fromEntries(readers.map((to) => [to, countFor({ occasion, to })])),
          all: countFor({ occasion }),
        },
      ]),
    ),
    tones: Object.fromEntries(tones.map((tone) => [tone, countFor({ tone })])),
    short: excuses.filter(({ text }) => isShort(text)).length,
    needing: excuses.filter(({ needs }) => needs.length > 0).length,
    samples: samplesOf(excuses).length,
  }
}

type Counted = { readonly language: Language; readonly counts: ExcuseCounts | null }

/** Two tables, each with its heading: what the excuses of each language are for, and how they say so. */
export function excuseTables(languages: readonly Counted[]): string[][][] {
  const counted = languages.flatMap(({ language, counts }) =>
    counts ? [{ language, ...counts }] : [],
  )
  if (counted.length === 0) return []
  const readers = columnsOf(counted.flatMap(({ occasions }) => Object.values(occasions)))
  const tones = columnsOf(counted.map((one) => one.tones))
  const cells = (counts: Counts, columns: readonly string[]) =>
    columns.map((column) => String(counts[column] ?? 0))
  return [
    [
      ['language', 'occasion', ...readers],
      ...counted.flatMap(({ language, occasions }) =>
        Object.entries(occasions).map(([occasion, counts]) => [
          language,
          occasion,
          ...cells(counts, readers),
        ]),
      ),
    ],
    [
      ['language', ...tones, 'short', 'needing', 'samples'],
      ...counted.map(({ language, short, needing, samples, ...one }) => [
        language,
        ...cells(one.tones, tones),
        ...[short, needing, samples].map(String),
      ]),
    ],
  ]
}

/** What any of them counts, `all` last. */
function columnsOf(counts: readonly Counts[]): string[] {
  const names = new Set(counts.flatMap((one) => Object.keys(one)))
  const hasAll = names.delete('all')
  return [...names, ...(hasAll ? ['all'] : [])]
}
