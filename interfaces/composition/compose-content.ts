import type { Content, Log } from '../../application/ports.ts'
import type { Config } from '../../infrastructure/config/config.ts'

/** What is served, and a line for each thing in it that its author may want to mend. */
export type ComposedContent = { readonly content: Content; readonly warnings: readonly string[] }

/** The first ones show what is amiss; the rest would bury what else the log says. */
const LOGGED_WARNINGS_MAX = 20

/** Makes the built-in content, or the operator's own; reports a line for each thing that cannot be served. */
export async function contentComposer(): Promise<
  (config: Config, report: (problem: string) => void) => ComposedContent
> {
  const { builtInContent, readOwnContent } = await import('../../infrastructure/content/content.ts')
  const { describeProblem } = await import('../../infrastructure/content/content-file.ts')

  return ({ contentDir }, report) => {
    if (contentDir === null) return { content: builtInContent(), warnings: [] }
    const { content, problems } = readOwnContent(contentDir)
    const warnings: string[] = []
    for (const problem of problems) {
      if (problem.level === 'error') report(`CONTENT_DIR: ${describeProblem(problem)}`)
      else warnings.push(describeProblem(problem))
    }
    // Without content of the operator's, something was reported: then nothing is served.
    return { content: content ?? builtInContent(), warnings }
  }
}

export function logWarnings(log: Log, warnings: readonly string[]): void {
  for (const problem of warnings.slice(0, LOGGED_WARNINGS_MAX)) {
    log.warn('content looks wrong', { problem })
  }
  const more = warnings.length - LOGGED_WARNINGS_MAX
  if (more > 0) log.warn('more content looks wrong', { more })
}
