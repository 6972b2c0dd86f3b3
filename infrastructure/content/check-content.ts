import type { ContentFile, ContentProblem } from '../../application/content/content-files.ts'
import { DEFAULT_LANGUAGE } from '../../domain/language.ts'
import { findDuplicates } from './duplicates.ts'
import { findStringProblems } from './string-rules.ts'
import { error, type Finding, findFlaws } from './text-rules.ts'

/** The limits for one kind of content. Lengths are in Unicode code points. */
export type ContentLimits = {
  readonly reasonsMin: number
  readonly reasonLengthMax: number
  /** Null where an excuse need not be made of whole sentences. */
  readonly sentencesMax: number | null
  /** Whether every key of the catalogue has to be there. Otherwise the built-in content fills the gaps. */
  readonly isComplete: boolean
}

/** For the built-in content. */
export const BUILT_IN_LIMITS: ContentLimits = {
  reasonsMin: 320,
  reasonLengthMax: 200,
  sentencesMax: 2,
  isComplete: true,
}

/** For the content of an operator, who may sell anything. */
export const OWN_LIMITS: ContentLimits = {
  reasonsMin: 1,
  reasonLengthMax: 2000,
  sentencesMax: null,
  isComplete: false,
}

/** `english` is the file itself where there is no other. */
export type CheckContext = { readonly english: ContentFile; readonly limits: ContentLimits }

type Check = (file: ContentFile, context: CheckContext) => ContentProblem[]

/** The problems because of which a folder cannot be served, file by file, from top to bottom. */
export function checkContent(
  files: readonly ContentFile[],
  limits: ContentLimits,
): ContentProblem[] {
  return checkFiles(files, limits, [findMissingParts, checkStrings, checkReasons])
}

/** The findings of the checks, file by file, from top to bottom. */
export function checkFiles(
  files: readonly ContentFile[],
  limits: ContentLimits,
  checks: readonly Check[],
): ContentProblem[] {
  const english = files.find(({ language }) => language === DEFAULT_LANGUAGE)
  return files.flatMap((file) => {
    const context = { english: english ?? file, limits }
    return checks
      .flatMap((check) => check(file, context))
      .toSorted((left, right) => (left.line ?? 0) - (right.line ?? 0))
  })
}

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

const checkStrings = stringCheck(findStringProblems)

/** The check of a file's strings that reports what `find` finds in them, each on its line. */
export function stringCheck(find: typeof findStringProblems): Check {
  return (file, { english, limits: { isComplete } }) => {
    const { strings, language } = file
    if (!strings) return []
    const originals = english.strings ?? strings
    return find(strings, { language, english: originals, isComplete }).map(
      ({ key, level, message }) =>
        problem(file, strings.get(key)?.line ?? null, {
          level,
          message: `strings.${key}: ${message}`,
        }),
    )
  }
}

function checkReasons(
  file: ContentFile,
  { limits: { reasonsMin, reasonLengthMax } }: CheckContext,
): ContentProblem[] {
  const { reasons } = file
  if (!reasons) return []
  const tooFew = `${reasons.length} excuses, at least ${reasonsMin}`
  return [
    ...(reasons.length < reasonsMin ? [problem(file, null, error(tooFew))] : []),
    ...reasons.flatMap(({ text, line }) => {
      const length = [...text].length
      const isTooLong = length > reasonLengthMax
      return [
        ...findFlaws(text),
        ...(isTooLong ? [error(`${length} characters, at most ${reasonLengthMax}`)] : []),
      ].map((finding) => problem(file, line, finding))
    }),
    ...findRepeated(file),
    ...findNeedy(file),
  ]
}

/** Somebody who has nothing would get no excuse at all. */
function findNeedy(file: ContentFile): ContentProblem[] {
  const excuses = file.reasons ?? []
  if (excuses.length === 0 || excuses.some(({ needs }) => needs.length === 0)) return []
  return [problem(file, null, error('each excuse supposes something: at least one must not'))]
}

/** A repeated text would come twice as often as others. */
function findRepeated(file: ContentFile): ContentProblem[] {
  const reasons = file.reasons ?? []
  const lineOf = (index: number) => reasons[index]?.line ?? null
  return findDuplicates(reasons.map(({ text }) => text)).map(({ first, second }) =>
    problem(file, lineOf(second), error(`the same as line ${lineOf(first)}`)),
  )
}

export function problem(
  { file, language }: ContentFile,
  line: number | null,
  { level, message }: Finding,
): ContentProblem {
  return { file, line, language, level, message }
}
