import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describeProblem } from '../../application/content/content-files.ts'
import { STRING_GROUPS } from '../../application/content/string-catalogue.ts'
import { type ContentLimits, OWN_LIMITS } from '../../infrastructure/content/check-content.ts'
import { proofreadFolder } from '../../infrastructure/content/proofreading/proofread.ts'
import { openTemporaryFolder } from './temporary-folder.ts'

/** Strings of one's own for all that Alibi's speak of excuses in, so that a check finds nothing to say about them. */
export const OWN_WORDS = Object.fromEntries(
  Object.keys(STRING_GROUPS.product).map((key) => [key, 'Poem']),
)

/** A folder with these files in it, until the end of the block that uses it. */
export function contentFolder(files: Readonly<Record<string, unknown>>) {
  const folder = openTemporaryFolder()
  writeContent(folder.path, files)
  return folder
}

/** Objects are written as JSON, a member a line. */
export function writeContent(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    const isRaw = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(path.join(folder, name), isRaw ? content : JSON.stringify(content, null, 1))
  }
}

/** All that is wrong with a folder of these files, a line for each problem. */
export function problemsOf(
  files: Readonly<Record<string, unknown>>,
  limits: ContentLimits = OWN_LIMITS,
): string[] {
  using content = contentFolder(files)
  const { problems } = proofreadFolder(content.path, limits)
  return problems.map((problem) => `${problem.level}: ${describeProblem(problem)}`)
}
