// `bun run check:content [FOLDER]`: checks the built-in content as the tests do, or an operator's own as every start
// with it does. Prints what there is in each language and all that is wrong. Exits with 1 when something cannot be
// served, and for the built-in content when anything is wrong.

import { join } from 'node:path'
import { BUILT_IN_LIMITS, OWN_LIMITS } from '../infrastructure/content/check-content.ts'
import { type ContentFile, describeProblem } from '../infrastructure/content/content-file.ts'
import { readContentFolder } from '../infrastructure/content/content-folder.ts'

const BUILT_IN = join(import.meta.dir, '../infrastructure/content')
const COLUMNS = ['language', 'strings', 'excuses', 'shortest', 'average', 'longest']

const [folder] = process.argv.slice(2)
const isBuiltIn = folder === undefined
const limits = isBuiltIn ? BUILT_IN_LIMITS : OWN_LIMITS
const { files, problems } = readContentFolder(folder ?? BUILT_IN, limits)
console.log(COLUMNS.join('  '))
for (const file of files) console.log(describe(file))
for (const problem of problems) console.log(`${problem.level}: ${describeProblem(problem)}`)
console.log(`${files.length} languages, ${problems.length} problems`)
process.exitCode = problems.some(({ level }) => isBuiltIn || level === 'error') ? 1 : 0

/** Lengths are in Unicode code points. */
function describe({ language, strings, reasons }: ContentFile): string {
  const lengths = (reasons ?? []).map(({ text }) => [...text].length)
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const cells = [
    language,
    strings?.size ?? 'built-in',
    reasons?.length ?? 'built-in',
    ...(lengths.length === 0
      ? ['', '', '']
      : [Math.min(...lengths), Math.round(average), Math.max(...lengths)]),
  ]
  return cells.map((cell, column) => String(cell).padStart(COLUMNS[column]!.length)).join('  ')
}
