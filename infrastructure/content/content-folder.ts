import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../../domain/language.ts'
import { type ContentLimits, checkContent } from './check-content.ts'
import {
  type ContentFile,
  type ContentProblem,
  type ReportFault,
  readContentFile,
} from './content-file.ts'

/** A folder's files, as far as they can be read, and all that is wrong with them. */
export type ContentFolder = {
  readonly files: readonly ContentFile[]
  readonly problems: readonly ContentProblem[]
}

/**
 * Reads `LANGUAGE.json` for each language that has one. Hidden files and other kinds of files may lie beside
 * them. Throws Node's error when the folder cannot be read.
 */
export function readContentFolder(folder: string, limits: ContentLimits): ContentFolder {
  const problems: ContentProblem[] = []
  const names = readdirSync(folder).filter((name) => /^[^.].*\.json$/i.test(name))
  const foreign = names.filter((name) => !LANGUAGES.some((language) => name === fileOf(language)))
  for (const name of foreign.toSorted()) {
    const message = `no name of a content file: those are ${LANGUAGES.map(fileOf).join(', ')}`
    problems.push({ file: name, line: null, language: null, level: 'error', message })
  }

  const needed = limits.isComplete ? LANGUAGES : [DEFAULT_LANGUAGE]
  const files = LANGUAGES.flatMap((language): ContentFile[] => {
    const file = fileOf(language)
    function report(line: number | null, message: string) {
      problems.push({ file, line, language, level: 'error', message })
    }
    if (!names.includes(file)) {
      if (needed.includes(language)) report(null, 'the file is missing')
      return []
    }
    const json = readText(path.join(folder, file), report)
    const read = json === null ? null : readContentFile({ file, language, json }, report)
    return read ? [read] : []
  })
  return { files, problems: [...problems, ...checkContent(files, limits)] }
}

function fileOf(language: Language): string {
  return `${language}.json`
}

function readText(file: string, report: ReportFault): string | null {
  try {
    // Reading a pipe would wait for ever.
    if (!statSync(file).isFile()) throw new Error('no regular file')
    // A byte order mark, which some editors put first, is no part of the text: the decoder drops it.
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    report(null, error instanceof TypeError ? 'it is no UTF-8 text' : 'it cannot be read')
    return null
  }
}
