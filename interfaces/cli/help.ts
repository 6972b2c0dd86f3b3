import {
  COMMAND_GROUPS,
  COMMANDS,
  COMMON_OPTIONS,
  type Command,
  type CommandName,
  OPTIONS,
  type OptionName,
} from './command-table.ts'
import { EXIT } from './exit-codes.ts'
import { section } from './text-layout.ts'

/** Shows the help on one command, or on all of them. */
export function help({
  topic,
  print,
}: {
  topic: CommandName | null
  print: (text: string) => void
}): number {
  const command = COMMANDS.find(({ name }) => name === topic)
  print(command ? commandHelp(command) : overview())
  return EXIT.done
}

/** Says what is wrong with the command line, and where to look. */
export function refuseUsage({
  usageError,
  complain,
}: {
  usageError: string
  complain: (text: string) => void
}): number {
  complain(`alibi: ${usageError}`)
  complain('Run "alibi help" to see what it takes.')
  return EXIT.wrongUsage
}

function overview(): string {
  return [
    'Alibi sells premium access and lets only paying people in.',
    'Usage: alibi COMMAND [OPTION...]',
    ...commandSections(),
    optionSection([...COMMON_OPTIONS, 'version']),
    'Settings are environment variables: see the README. "alibi help COMMAND" tells more.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 78 wrong settings.',
  ].join('\n\n')
}

/** A section for each group, with all names of the same width. */
function commandSections(): readonly string[] {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length))
  return COMMAND_GROUPS.map(({ title, commands }) =>
    section(
      title,
      commands.map(({ name, summary }) => [name.padEnd(width), summary]),
    ),
  )
}

function commandHelp({ name, operands, options, details }: Command): string {
  return [
    `Usage: ${['alibi', name, ...operands, '[OPTION...]'].join(' ')}`,
    details,
    optionSection([...options, ...COMMON_OPTIONS]),
  ].join('\n\n')
}

function optionSection(names: readonly OptionName[]): string {
  return section(
    'Options',
    names.map((name) => [OPTIONS[name].usage, OPTIONS[name].summary]),
  )
}
