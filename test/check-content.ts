// `bun run check:content [FOLDER]`: checks the built-in content, or an operator's own, as the tests and every start do.
// Prints what there is in each language and all that is wrong; exits with 1 when anything is.

import { BUILT_IN_LIMITS, OWN_LIMITS } from '../infrastructure/content/check-content.ts'
import { type ContentFile, describeProblem } from '../infrastructure/content/content-file.ts'
import { readContentFolder } from '../infrastructure/content/content-folder.ts'

const BUILT_IN = new URL('../infrastructure/content/', import.meta.url).pathname
const COLUMNS = ['language', 'strings', 'excuses', 'shortest', 'average', 'longest']

const [folder] = process.argv.slice(2)
const { files, problems } = readContentFolder(
  folder ?? BUILT_IN,
  folder === undefined ? BUILT_IN_LIMITS : OWN_LIMITS,
)
console.log(COLUMNS.join('  '))
for (const file of files) console.log(describe(file))
for (const problem of problems) console.log(`${problem.level}: ${describeProblem(problem)}`)
console.log(`${files.length} languages, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

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
