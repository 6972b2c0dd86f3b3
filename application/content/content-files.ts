import type { Excuse } from '../../domain/excuse.ts'
import type { Language } from '../../domain/language.ts'

/** A folder's files, as far as they can be read, and all that is wrong with them. */
export type ContentFolder = {
  readonly files: readonly ContentFile[]
  readonly problems: readonly ContentProblem[]
}

/** A text as it stands in a file. Lines are counted from 1. */
export type ContentText = { readonly text: string; readonly line: number }

/** One language's file, read. Null for a part that it does not have. */
export type ContentFile = {
  readonly file: string
  readonly language: Language
  readonly strings: ReadonlyMap<string, ContentText> | null
  readonly reasons: readonly ContentExcuse[] | null
}

/** An excuse, and the line on which its text stands. */
export type ContentExcuse = Excuse & { readonly line: number }

/** What is wrong with content, and where. */
export type ContentProblem = {
  readonly file: string
  /** Null when the whole file is meant. */
  readonly line: number | null
  readonly language: Language | null
  readonly message: string
  /**
   * Content with an error cannot be served. A warning is a slip of the pen: a mark, a repetition, a word of another
   * language.
   */
  readonly level: 'error' | 'warning'
}

/** A problem on one line: `sv.json:12 (sv): strings.copy: …`. What is quoted in it cannot break the line. */
export function describeProblem({ file, line, language, message }: ContentProblem): string {
  const place = line === null ? file : `${file}:${line}`
  const described =
    language === null ? `${place}: ${message}` : `${place} (${language}): ${message}`
  return described.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\uFFFD')
}
