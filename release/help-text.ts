import { COMMAND_GROUPS, COMMANDS } from '../interfaces/cli/commands/command-table.ts'
import { help } from '../interfaces/cli/help.ts'

const RULE = '-'.repeat(80)

/** The output of "alibi help", and of "alibi help COMMAND" for each command. */
export function helpText(): string {
  const pages: string[] = []
  const print = (text: string) => void pages.push(text)
  for (const topic of [null, ...COMMANDS]) help({ topic, groups: COMMAND_GROUPS, print })
  return pages.join(`\n\n${RULE}\n\n`)
}

if (import.meta.main) process.stdout.write(`${helpText()}\n`)
