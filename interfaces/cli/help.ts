import type { CommandGroup } from './command.ts'
import { COMMON_OPTIONS, type CommandWords, type Option, VERSION_OPTION } from './command-words.ts'
import { EXIT } from './exit-codes.ts'
import { section } from './text-layout.ts'

/** It is no command of its own: `--help` behind any command asks for the same. */
export const HELP: CommandWords = {
  name: 'help',
  summary: 'show help, also on a command',
  operands: ['[COMMAND]'],
  options: [],
  details: 'Shows what the command does and which options it takes.',
}

/** Shows the help on one command, or on all of them. */
export function help({
  topic,
  groups,
  print,
}: {
  topic: CommandWords | null
  groups: readonly CommandGroup[]
  print: (text: string) => void
}): number {
  print(topic ? commandHelp(topic) : overview(groups))
  return EXIT.done
}

/** Says what is wrong with the command line, and where to look. */
export function refuseUsage({
  usageError,
  printError,
}: {
  usageError: string
  printError: (text: string) => void
}): number {
  printError(`alibi: ${usageError}`)
  printError('Run "alibi help" to see what it takes.')
  return EXIT.wrongUsage
}

function overview(groups: readonly CommandGroup[]): string {
  return [
    'Alibi sells premium access and lets only paying people in.',
    'Usage: alibi COMMAND [OPTION...]',
    ...commandSections(groups),
    optionSection([...COMMON_OPTIONS, VERSION_OPTION]),
    'Settings are environment variables: see the README. "alibi help COMMAND" tells more.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 78 wrong settings.',
  ].join('\n\n')
}

/** A section for each group, with all names of the same width. */
function commandSections(groups: readonly CommandGroup[]): readonly string[] {
  const names = groups.flatMap(({ commands }) => commands.map(({ name }) => name))
  const width = Math.max(...names.map(({ length }) => length))
  return groups.map(({ title, commands }) =>
    section(
      title,
      commands.map(({ name, summary }) => [name.padEnd(width), summary]),
    ),
  )
}

function commandHelp({ name, operands, options, details }: CommandWords): string {
  return [
    `Usage: ${['alibi', name, ...operands, '[OPTION...]'].join(' ')}`,
    details,
    optionSection([...options, ...COMMON_OPTIONS]),
  ].join('\n\n')
}

function optionSection(options: readonly Option[]): string {
  return section(
    'Options',
    options.map((option) => [usageOf(option), option.summary]),
  )
}

function usageOf(option: Option): string {
  if (option.type === 'string') return `--${option.name} ${option.value}`
  return option.short ? `--${option.name}, -${option.short}` : `--${option.name}`
}
