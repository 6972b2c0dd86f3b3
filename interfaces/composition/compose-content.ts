import type { Content } from '../../application/ports.ts'
import type { Config } from '../../infrastructure/config/config.ts'
import { withRightsFor } from '../../infrastructure/rights/state-folder.ts'

/** Makes the built-in content, or the operator's own; reports a line for each thing that cannot be served. */
export async function contentComposer(): Promise<
  (config: Config, report: (problem: string) => void) => Content
> {
  const { builtInContent, readOwnContent } = await import('../../infrastructure/content/content.ts')
  const { describeProblem } = await import('../../infrastructure/content/content-file.ts')

  return ({ contentDir, database }, report) => {
    if (contentDir === null) return builtInContent()
    const read = () => readOwnContent(contentDir)
    const { content, problems } = withRightsFor(contentDir, database.path, read)
    for (const problem of problems) report(`CONTENT_DIR: ${describeProblem(problem)}`)
    // Without the operator's content a problem was reported, and then nothing is served.
    return content ?? builtInContent()
  }
}
