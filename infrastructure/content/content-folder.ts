import { isUtf8 } from 'node:buffer'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type {
  ContentFile,
  ContentFolder,
  ContentProblem,
} from '../../application/content/content-files.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../../domain/language.ts'
import { codeOf } from '../files/node-errors.ts'
import { type ContentLimits, checkContent } from './check-content.ts'
import { type ReportFault, readContentFile } from './content-file.ts'

/** Reads `LANGUAGE.json` for each language that has one. Hidden files and other kinds of files may lie beside them. */
export function readContentFolder(folder: string, limits: ContentLimits): ContentFolder {
  const problems: ContentProblem[] = []
  function reportFor(file: string, language: Language | null): ReportFault {
    return (line, message) => {
      problems.push({ file, line, language, level: 'error', message })
    }
  }
  const names = listNames(folder, reportFor('the folder', null))
  if (!names) return { files: [], problems }

  const foreign = names.filter((name) => !LANGUAGES.some((language) => name === fileOf(language)))
  for (const name of foreign.toSorted()) {
    const expected = LANGUAGES.map(fileOf).join(', ')
    reportFor(name, null)(null, `no name of a content file: those are ${expected}`)
  }

  const needed = limits.isComplete ? LANGUAGES : [DEFAULT_LANGUAGE]
  const files = LANGUAGES.flatMap((language): ContentFile[] => {
    const file = fileOf(language)
    const report = reportFor(file, language)
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

function listNames(folder: string, report: ReportFault): string[] | null {
  try {
    return readdirSync(folder).filter((name) => /^[^.].*\.json$/i.test(name))
  } catch (error) {
    report(null, describeFailure(error))
    return null
  }
}

function readText(file: string, report: ReportFault): string | null {
  try {
    // Reading a pipe would wait for ever.
    if (!statSync(file).isFile()) report(null, 'it is no regular file')
    else {
      const bytes = readFileSync(file)
      // A byte order mark, which some editors put first, is no part of the text: the decoder drops it.
      if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
      report(null, 'it is no UTF-8 text')
    }
  } catch (error) {
    report(null, describeFailure(error))
  }
  return null
}

/** What the file system says; throws any other error again. */
function describeFailure(error: unknown): string {
  const code = codeOf(error)
  if (code === null) throw error
  return `it cannot be read (${code})`
}
