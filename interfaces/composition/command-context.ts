import type { loadConfig } from '../../infrastructure/config/config.ts'

/** Where settings come from. */
export type Surroundings = Parameters<typeof loadConfig>[0]

/** What a command has to do with whoever runs it. */
export type CommandContext = {
  readonly surroundings: Surroundings
  readonly json: boolean
  /** A line of what was asked for. */
  readonly print: (text: string) => void
  /** A line about what is wrong. */
  readonly complain: (text: string) => void
  /** Rewrites the last line of a terminal; null clears it. A file or a pipe gets none of it. */
  readonly progress: (line: string | null) => void
}
