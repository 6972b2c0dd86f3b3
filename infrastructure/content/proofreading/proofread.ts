import type {
  ContentFile,
  ContentFolder,
  ContentProblem,
} from '../../../application/content/content-files.ts'
import { STRING_GROUPS } from '../../../application/content/string-catalogue.ts'
import { DEFAULT_LANGUAGE } from '../../../domain/language.ts'
import {
  type CheckContext,
  type ContentLimits,
  checkFiles,
  problem,
  stringCheck,
} from '../check-content.ts'
import { readContentFolder } from '../content-folder.ts'
import { type Finding, warning } from '../text-rules.ts'
import { findNearDuplicates } from './near-duplicates.ts'
import { findStringSlips, LEFT_IN_ENGLISH } from './string-slips.ts'
import { findTagSlips } from './tag-slips.ts'
import { findSentenceSlips, findSlips } from './text-slips.ts'

/** A folder's files and their problems, file by file: those because of which they cannot be served, and the slips. */
export function proofreadFolder(folder: string, limits: ContentLimits): ContentFolder {
  const { files, problems } = readContentFolder(folder, limits)
  const rank = new Map(files.map(({ file }, index) => [file, index]))
  const rankOf = ({ file }: ContentProblem) => rank.get(file) ?? -1
  return {
    files,
    problems: [...problems, ...findContentSlips(files, limits)].toSorted(
      (left, right) =>
        rankOf(left) - rankOf(right) ||
        (rankOf(left) < 0 ? 0 : (left.line ?? 0) - (right.line ?? 0)),
    ),
  }
}

/** What looks wrong in content that can be served. */
function findContentSlips(files: readonly ContentFile[], limits: ContentLimits): ContentProblem[] {
  return checkFiles(files, limits, [
    findExcuseWords,
    proofreadStrings,
    proofreadReasons,
    findTagSlips,
  ])
}

/** An operator who sells something else does not want it praised as excuses. Said once, not for each language. */
function findExcuseWords(file: ContentFile): ContentProblem[] {
  const { language, reasons, strings } = file
  if (language !== DEFAULT_LANGUAGE || !reasons) return []
  const { title: _, ...speaking } = STRING_GROUPS.product
  const kept = Object.keys(speaking).filter((key) => !strings?.has(key))
  if (kept.length === 0) return []
  const message = `"strings" lacks ${kept.join(', ')}: the built-in words speak of excuses`
  return [problem(file, null, warning(message))]
}

const proofreadStrings = stringCheck(findStringSlips)

function proofreadReasons(
  file: ContentFile,
  { english, limits: { sentencesMax } }: CheckContext,
): ContentProblem[] {
  const { reasons, language } = file
  if (!reasons) return []
  const originals = new Set(file === english ? [] : english.reasons?.map(({ text }) => text))
  return [
    ...reasons.flatMap(({ text, line }) => {
      const findings: Finding[] = [
        ...(/\{[^{}]*\}/.test(text) ? [warning('nobody fills in what stands in braces')] : []),
        ...(originals.has(text) ? [warning(LEFT_IN_ENGLISH)] : []),
        ...findSlips(text, language),
        ...(sentencesMax === null ? [] : findSentenceSlips(text, { language, sentencesMax })),
      ]
      return findings.map((finding) => problem(file, line, finding))
    }),
    ...findRepetitions(file),
  ]
}

function findRepetitions(file: ContentFile): ContentProblem[] {
  const reasons = file.reasons ?? []
  const lineOf = (index: number) => reasons[index]?.line ?? null
  const pairs = findNearDuplicates(reasons.map(({ text }) => text))
  if (pairs === null) return [problem(file, null, warning(TOO_MANY))]
  return pairs.map(({ first, second, distance }) =>
    problem(
      file,
      lineOf(second),
      warning(
        distance === 0
          ? `the same as line ${lineOf(first)}, but for case, marks or spaces`
          : `nearly the same as line ${lineOf(first)} (distance ${distance.toFixed(2)})`,
      ),
    ),
  )
}

const TOO_MANY = 'there are too many to look for those that are nearly the same'
