import { DEFAULT_LANGUAGE } from '../../domain/language.ts'
import type { ContentFile, ContentProblem, ContentText } from './content-file.ts'
import { findNearDuplicates } from './near-duplicates.ts'
import { findStringProblems } from './string-rules.ts'
import { type Finding, findFlaws, findSentenceSlips, findSlips } from './text-rules.ts'

/** What content of one kind has to be like. Lengths are in Unicode code points. */
export type ContentLimits = {
  readonly reasonsMin: number
  readonly reasonLengthMax: number
  /** Null where an excuse need not be made of whole sentences. */
  readonly sentencesMax: number | null
  /** Whether every key of the catalogue has to be there, or what is missing is taken from the built-in content. */
  readonly isComplete: boolean
}

/** What Alibi itself sells. */
export const BUILT_IN_LIMITS: ContentLimits = {
  reasonsMin: 300,
  reasonLengthMax: 200,
  sentencesMax: 2,
  isComplete: true,
}

/** What an operator sells: anything that is short. */
export const OWN_LIMITS: ContentLimits = {
  reasonsMin: 1,
  reasonLengthMax: 2000,
  sentencesMax: null,
  isComplete: false,
}

/** Everything that is wrong with the files of a folder, file by file, from top to bottom. */
export function checkContent(
  files: readonly ContentFile[],
  limits: ContentLimits,
): ContentProblem[] {
  const english = files.find(({ language }) => language === DEFAULT_LANGUAGE) ?? null
  return files.flatMap((file) =>
    [
      ...(english && file !== english ? findMissingParts(file, english) : []),
      ...checkStrings(file, { english: english ?? file, limits }),
      ...checkReasons(file, limits),
    ].toSorted((left, right) => (left.line ?? 0) - (right.line ?? 0)),
  )
}

function findMissingParts(file: ContentFile, english: ContentFile): ContentProblem[] {
  return (['strings', 'reasons'] as const)
    .filter((part) => (file[part] === null) !== (english[part] === null))
    .map((part) =>
      problem(file, null, {
        level: 'error',
        message: `"${part}" must be in every file or in none`,
      }),
    )
}

function checkStrings(
  file: ContentFile,
  { english, limits: { isComplete } }: { english: ContentFile; limits: ContentLimits },
): ContentProblem[] {
  const { strings, language } = file
  if (!strings) return isComplete ? [problem(file, null, absent('strings'))] : []
  const originals = english.strings ?? strings
  return findStringProblems(strings, { language, english: originals, isComplete }).map(
    ({ key, level, message }) =>
      key === null
        ? problem(file, null, { level, message })
        : problem(file, strings.get(key)?.line ?? null, {
            level,
            message: `strings.${key}: ${message}`,
          }),
  )
}

function checkReasons(
  file: ContentFile,
  { reasonsMin, reasonLengthMax, sentencesMax, isComplete }: ContentLimits,
): ContentProblem[] {
  const { reasons, language } = file
  if (!reasons) return isComplete ? [problem(file, null, absent('reasons'))] : []
  const tooFew = `${reasons.length} excuses, at least ${reasonsMin}`
  return [
    ...(reasons.length < reasonsMin
      ? [problem(file, null, { level: 'error', message: tooFew })]
      : []),
    ...reasons.flatMap(({ text, line }) => {
      const length = [...text].length
      const tooLong = `${length} characters, at most ${reasonLengthMax}`
      const findings: Finding[] = [
        ...findFlaws(text),
        ...(length > reasonLengthMax ? [{ level: 'error', message: tooLong } as const] : []),
        ...(/\{\w+\}/.test(text) ? [{ level: 'error', message: UNFILLED } as const] : []),
        ...findSlips(text, language),
        ...(sentencesMax === null ? [] : findSentenceSlips(text, { language, sentencesMax })),
      ]
      return findings.map((finding) => problem(file, line, finding))
    }),
    ...findRepetitions(file, reasons),
  ]
}

const UNFILLED = 'a placeholder, which nobody fills in'

function findRepetitions(file: ContentFile, reasons: readonly ContentText[]): ContentProblem[] {
  return findNearDuplicates(reasons.map(({ text }) => text)).map(({ first, second, distance }) => {
    const line = reasons[second]?.line ?? null
    const other = reasons[first]?.line
    const message =
      distance === 0
        ? `the same as line ${other}`
        : `nearly the same as line ${other} (distance ${distance.toFixed(2)})`
    return problem(file, line, { level: 'warning', message })
  })
}

function absent(part: 'strings' | 'reasons'): Finding {
  return { level: 'error', message: `"${part}" is missing` }
}

function problem(
  { file, language }: ContentFile,
  line: number | null,
  { level, message }: Finding,
): ContentProblem {
  return { file, line, language, level, message }
}
