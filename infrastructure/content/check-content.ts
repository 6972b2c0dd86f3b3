import { STRING_GROUPS } from '../../application/content/string-catalogue.ts'
import { DEFAULT_LANGUAGE } from '../../domain/language.ts'
import type { ContentFile, ContentProblem, ContentText } from './content-file.ts'
import { findDuplicates, findNearDuplicates } from './near-duplicates.ts'
import { findStringProblems, LEFT_IN_ENGLISH } from './string-rules.ts'
import {
  error,
  type Finding,
  findFlaws,
  findSentenceSlips,
  findSlips,
  warning,
} from './text-rules.ts'

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
  const english = files.find(({ language }) => language === DEFAULT_LANGUAGE)
  return files.flatMap((file) => {
    const context = { english: english ?? file, limits }
    return [
      ...findMissingParts(file, context),
      ...findExcuseWords(file),
      ...checkStrings(file, context),
      ...checkReasons(file, context),
    ].toSorted((left, right) => (left.line ?? 0) - (right.line ?? 0))
  })
}

/** `english` is the file itself where there is no other. */
type CheckContext = { readonly english: ContentFile; readonly limits: ContentLimits }

function findMissingParts(
  file: ContentFile,
  { english, limits: { isComplete } }: CheckContext,
): ContentProblem[] {
  return (['strings', 'reasons'] as const)
    .flatMap((part): Finding[] => {
      if (isComplete) return file[part] ? [] : [error(`"${part}" is missing`)]
      const isOdd = (file[part] === null) !== (english[part] === null)
      return isOdd ? [error(`"${part}" must be in every file or in none`)] : []
    })
    .map((finding) => problem(file, null, finding))
}

/** Whoever sells something else would not want it to be praised as excuses. Said once, not for each language. */
function findExcuseWords(file: ContentFile): ContentProblem[] {
  const { language, reasons, strings } = file
  if (language !== DEFAULT_LANGUAGE || !reasons) return []
  const { title: _, ...speaking } = STRING_GROUPS.product
  const kept = Object.keys(speaking).filter((key) => !strings?.has(key))
  if (kept.length === 0) return []
  const message = `"strings" lacks ${kept.join(', ')}: the built-in words speak of excuses`
  return [problem(file, null, warning(message))]
}

function checkStrings(
  file: ContentFile,
  { english, limits: { isComplete } }: CheckContext,
): ContentProblem[] {
  const { strings, language } = file
  if (!strings) return []
  const originals = english.strings ?? strings
  return findStringProblems(strings, { language, english: originals, isComplete }).map(
    ({ key, level, message }) =>
      problem(file, strings.get(key)?.line ?? null, {
        level,
        message: `strings.${key}: ${message}`,
      }),
  )
}

function checkReasons(
  file: ContentFile,
  { english, limits: { reasonsMin, reasonLengthMax, sentencesMax } }: CheckContext,
): ContentProblem[] {
  const { reasons, language } = file
  if (!reasons) return []
  const originals = new Set(file === english ? [] : english.reasons?.map(({ text }) => text))
  const tooFew = `${reasons.length} excuses, at least ${reasonsMin}`
  return [
    ...(reasons.length < reasonsMin ? [problem(file, null, error(tooFew))] : []),
    ...reasons.flatMap(({ text, line }) => {
      const length = [...text].length
      const findings: Finding[] = [
        ...findFlaws(text),
        ...(length > reasonLengthMax
          ? [error(`${length} characters, at most ${reasonLengthMax}`)]
          : []),
        ...(/\{[^{}]*\}/.test(text) ? [warning('nobody fills in what stands in braces')] : []),
        ...(originals.has(text) ? [warning(LEFT_IN_ENGLISH)] : []),
        ...findSlips(text, language),
        ...(sentencesMax === null ? [] : findSentenceSlips(text, { language, sentencesMax })),
      ]
      return findings.map((finding) => problem(file, line, finding))
    }),
    ...findRepetitions(file, reasons),
  ]
}

/** One and the same text twice would come twice in a row, and twice as often as others. */
function findRepetitions(file: ContentFile, reasons: readonly ContentText[]): ContentProblem[] {
  const texts = reasons.map(({ text }) => text)
  const lineOf = (index: number) => reasons[index]?.line ?? null
  const pairs = findNearDuplicates(texts)
  return [
    ...findDuplicates(texts).map(({ first, second }) =>
      problem(file, lineOf(second), error(`the same as line ${lineOf(first)}`)),
    ),
    ...(pairs === null ? [problem(file, null, warning(TOO_MANY))] : []),
    ...(pairs ?? []).map(({ first, second, distance }) =>
      problem(
        file,
        lineOf(second),
        warning(
          distance === 0
            ? `the same as line ${lineOf(first)}, but for case, marks or spaces`
            : `nearly the same as line ${lineOf(first)} (distance ${distance.toFixed(2)})`,
        ),
      ),
    ),
  ]
}

const TOO_MANY = 'there are too many to look for those that are nearly the same'

function problem(
  { file, language }: ContentFile,
  line: number | null,
  { level, message }: Finding,
): ContentProblem {
  return { file, line, language, level, message }
}
