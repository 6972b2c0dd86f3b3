import { COMMANDS } from '../interfaces/cli/command-table.ts'
import { help } from '../interfaces/cli/help.ts'

const RULE = '-'.repeat(80)

/** What "alibi help" says, and "alibi help COMMAND" for each. */
export function helpText(): string {
  const pages: string[] = []
  for (const topic of [null, ...COMMANDS.map(({ name }) => name)]) {
    help({ topic, print: (text) => void pages.push(text) })
  }
  return pages.join(`\n\n${RULE}\n\n`)
}

if (import.meta.main) process.stdout.write(`${helpText()}\n`)
