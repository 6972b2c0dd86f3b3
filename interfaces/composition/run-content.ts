import { OWN_LIMITS } from '../../infrastructure/content/check-content.ts'
import { describeProblem } from '../../infrastructure/content/content-file.ts'
import { proofreadFolder } from '../../infrastructure/content/proofreading/proofread.ts'
import type { ReadContent } from '../cli/command-context.ts'

/** Reads and proofreads the operator's content in a folder. */
export function readContent(folder: string): ReadContent {
  const { files, problems } = proofreadFolder(folder, OWN_LIMITS)
  return {
    files,
    problems: problems.map((problem) => ({ ...problem, described: describeProblem(problem) })),
  }
}
