import type { Content, Log } from '../../application/ports.ts'
import type { Config } from '../../infrastructure/config.ts'

/** What is served, and a line for each thing in it that its author may want to mend. */
export type ComposedContent = { readonly content: Content; readonly warnings: readonly string[] }

/** The first ones show what is amiss; the rest would bury what else the log says. */
const LOGGED_WARNINGS_MAX = 20

/** Makes the built-in content, or the operator's own; reports a line for each thing that cannot be served. */
export async function contentComposer(): Promise<
  (config: Config, report: (problem: string) => void) => ComposedContent
> {
  const { builtInContent, readOwnContent } = await import('../../infrastructure/content.ts')
  const { describeProblem } = await import('../../infrastructure/content/content-file.ts')
  const { codeOf } = await import('../../infrastructure/error-code.ts')

  return ({ contentDir }, report) => {
    const own = contentDir === null ? null : readFolder(contentDir, report)
    const problems = own?.problems ?? []
    const linesOf = (wanted: 'error' | 'warning') =>
      problems.filter(({ level }) => level === wanted).map(describeProblem)
    for (const line of linesOf('error')) report(`CONTENT_DIR: ${line}`)
    return { content: own?.content ?? builtInContent(), warnings: linesOf('warning') }
  }

  function readFolder(folder: string, report: (problem: string) => void) {
    try {
      return readOwnContent(folder)
    } catch (error) {
      const code = codeOf(error)
      if (code === null) throw error
      report(`CONTENT_DIR must be a folder that can be read (${code})`)
      return null
    }
  }
}

export function logWarnings(log: Log, warnings: readonly string[]): void {
  for (const problem of warnings.slice(0, LOGGED_WARNINGS_MAX)) log.warn('content', { problem })
  const more = warnings.length - LOGGED_WARNINGS_MAX
  if (more > 0) log.warn('content: there is more to mend', { more })
}
