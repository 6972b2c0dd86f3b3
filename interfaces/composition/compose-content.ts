// biome-ignore-all lint/style/noCommonJs: only this loads a module late without making its reader wait
// Why: docs/decisions.md#a-start-makes-what-its-first-answer-needs
import { describeProblem } from '../../application/content/content-files.ts'
import type { Content } from '../../application/ports.ts'
import type { Config } from '../../infrastructure/config/config.ts'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { withRightsFor } from '../../infrastructure/rights/state-folder.ts'

/** Makes the built-in content, or the operator's own; reports a line for each thing that cannot be served. */
export function composeContent(
  { contentDir, database }: Config,
  report: (problem: string) => void,
): Content {
  if (contentDir === null) return builtInContent()
  const { readOwnContent } = ownContent()
  const read = () => readOwnContent(contentDir)
  const { content, problems } =
    database.kind === 'sqlite' ? withRightsFor(contentDir, database.path, read) : read()
  for (const problem of problems) report(`CONTENT_DIR: ${describeProblem(problem)}`)
  // Without the operator's content a problem was reported, and then nothing is served.
  return content ?? builtInContent()
}

// Few operators have content of their own.
const ownContent = (): typeof import('../../infrastructure/content/own-content.ts') =>
  require('../../infrastructure/content/own-content.ts')
