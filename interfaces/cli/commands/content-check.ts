import {
  type ContentFile,
  type ContentFolder,
  describeProblem,
} from '../../../application/content/content-files.ts'
import type { Language } from '../../../domain/language.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION, type Option } from '../command-words.ts'
import { countExcuses, type ExcuseCounts, excuseTables } from '../content-tables.ts'
import { EXIT } from '../exit-codes.ts'
import { alignColumns } from '../text-layout.ts'

const STRICT_OPTION: Option = { name: 'strict', type: 'boolean', summary: 'fail for a slip, too' }

export const contentCheckCommand: Command<{ folder: string; strict: boolean }> = {
  name: 'content check',
  summary: 'proofread a folder of your own content',
  operands: ['FOLDER'],
  options: [STRICT_OPTION, JSON_OPTION],
  details: `Reads FOLDER as CONTENT_DIR is read, counts what there is in each language, by occasion and
reader where excuses say so, and prints a line for each thing that is wrong. An error keeps
"alibi serve" from taking the folder. A warning is a slip, such as a letter of another script, a
typewriter's apostrophe, or two texts that are nearly alike.
Exits 0 when serve would take the folder, else 1; --strict exits 1 for a slip, too.
Needs no settings.`,
  parse: ([folder = ''], { strict }) => ({ folder, strict: strict === true }),
  run: async (context, { folder, strict }) =>
    contentCheck({ ...context, content: await context.readContent(folder), strict }),
}

type Summary = {
  readonly language: Language
  readonly strings: number | null
  readonly excuses: number | null
  /** In Unicode code points; null without excuses. */
  readonly shortest: number | null
  readonly average: number | null
  readonly longest: number | null
  /** Null where no excuse says what it is for. */
  readonly counts: ExcuseCounts | null
}

const COLUMNS = ['language', 'strings', 'excuses', 'shortest', 'average', 'longest'] as const

/**
 * Prints how much content each language has, and all that is wrong. Exits 1 where `serve` would refuse the content, and
 * for a slip as well when strict.
 */
export function contentCheck({
  content: { files, problems },
  strict,
  json,
  print,
}: Pick<CommandContext, 'json' | 'print'> & {
  content: ContentFolder
  strict: boolean
}): number {
  const languages = files.map(summarize)
  const errors = problems.filter(({ level }) => level === 'error').length
  if (json) {
    print(JSON.stringify({ isServable: errors === 0, languages, problems }))
  } else {
    const rows = languages.map((summary) => COLUMNS.map((column) => cell(summary[column])))
    for (const table of [[COLUMNS, ...rows], ...excuseTables(languages)]) {
      for (const line of alignColumns(table)) print(line)
    }
    for (const problem of problems) print(`${problem.level}: ${describeProblem(problem)}`)
    print(`languages: ${files.length}, errors: ${errors}, slips: ${problems.length - errors}`)
  }
  return errors > 0 || (strict && problems.length > 0) ? EXIT.failed : EXIT.done
}

function summarize({ language, strings, reasons }: ContentFile): Summary {
  const lengths = (reasons ?? []).map(({ text }) => [...text].length)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const ofAny = (count: number) => (lengths.length === 0 ? null : count)
  return {
    language,
    strings: strings?.size ?? null,
    excuses: reasons?.length ?? null,
    shortest: ofAny(Math.min(...lengths)),
    average: ofAny(Math.round(total / lengths.length)),
    longest: ofAny(Math.max(...lengths)),
    counts: countExcuses(reasons ?? []),
  }
}

function cell(value: string | number | null): string {
  return value === null ? '-' : String(value)
}
