import { parseArgs } from 'node:util'
import type { Command, UsageError } from './command.ts'
import {
  COMMON_OPTIONS,
  type CommandWords,
  type Option,
  type OptionValues,
  VERSION_OPTION,
} from './command-words.ts'
import { HELP } from './help.ts'
import { quoteForTerminal } from './quoting.ts'

/** What was asked for, or what is wrong with the way it was asked. */
export type CommandLine =
  | {
      readonly command: Command
      /** For this command alone to run with. */
      readonly asked: object
      readonly options: { readonly envFile: string | null; readonly json: boolean }
    }
  /** Help on a command, or on all of them. */
  | { readonly topic: CommandWords | null }
  | UsageError

type Commands = readonly (Command | CommandWords)[]

/** Reads what follows the program's name. */
export function parseCommandLine(argv: readonly string[], commands: Commands): CommandLine {
  const known = [
    ...new Set([...COMMON_OPTIONS, VERSION_OPTION, ...commands.flatMap(({ options }) => options)]),
  ]
  const { tokens, values, positionals } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(known.map((option) => [option.name, option])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const isNamed = positionals.length > 0
  const words = isNamed ? positionals : [values['version'] ? 'version' : HELP.name]
  const found = findCommand(words, commands)
  if (!found) return refuseCommand(words, commands)

  const { command, operands } = found
  const options = [...COMMON_OPTIONS, ...command.options]
  const allowed = isNamed ? options : [...options, VERSION_OPTION]
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = known.find(({ name }) => name === token.name)
    if (!option) return { usageError: `unknown option ${quoteForTerminal(token.rawName)}` }
    if (!allowed.includes(option)) {
      return { usageError: `${command.name} does not take ${token.rawName}` }
    }
    const problem = findValueProblem(token, option)
    if (problem) return { usageError: problem }
  }
  if (values['help']) return { topic: isNamed ? command : null }
  if (!('run' in command)) return parseTopic(operands, commands)

  const problem = findOperandProblem(command, operands)
  if (problem) return { usageError: problem }
  return parseMeaning(command, operands, values)
}

/** The longest name that the words begin with, and the words behind it. */
function findCommand(
  words: readonly string[],
  commands: Commands,
): { command: Command | CommandWords; operands: readonly string[] } | null {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    const command = commands.find((one) => one.name === name)
    if (command) return { command, operands: words.slice(length) }
  }
  return null
}

function refuseCommand([word = '']: readonly string[], commands: Commands): UsageError {
  const parts = commands
    .map(({ name }) => name.split(' '))
    .filter(([first, second]) => first === word && second !== undefined)
    .map(([, second]) => second)
  if (parts.length > 0) return { usageError: `${word} needs one of ${parts.join(', ')}` }
  return { usageError: `unknown command ${quoteForTerminal(word)}` }
}

/** parseArgs is lenient here, because its own errors differ only in their English words. */
function findValueProblem(
  {
    rawName,
    value,
    inlineValue,
  }: {
    rawName: string
    value?: string | undefined
    inlineValue?: boolean | undefined
  },
  option: Option,
): string | null {
  if (option.type === 'boolean') return value === undefined ? null : `${rawName} takes no value`
  const isMissing = !value || (value.startsWith('-') && !inlineValue)
  return isMissing ? `${rawName} needs ${option.needs}` : null
}

function parseTopic(words: readonly string[], commands: Commands): CommandLine {
  if (words.length === 0) return { topic: null }
  const found = findCommand(words, commands)
  if (!found) return refuseCommand(words, commands)
  const [surplus] = found.operands
  if (surplus === undefined) return { topic: found.command }
  return { usageError: `${HELP.name} does not take ${quoteForTerminal(surplus)}` }
}

function findOperandProblem(
  { name, operands: wanted }: CommandWords,
  operands: readonly string[],
): string | null {
  const surplus = operands[wanted.length]
  if (surplus !== undefined) return `${name} does not take ${quoteForTerminal(surplus)}`
  const missing = wanted.find((_, place) => !operands[place])
  return missing === undefined || missing.startsWith('[')
    ? null
    : `${name} needs ${missing}: alibi ${name} ${wanted.join(' ')}`
}

function parseMeaning(
  command: Command,
  operands: readonly string[],
  values: OptionValues,
): CommandLine {
  const asked = command.parse(operands, values)
  if (isUsageError(asked)) return asked
  const { 'env-file': envFile, json } = values
  const options = { envFile: typeof envFile === 'string' ? envFile : null, json: json === true }
  return { command, asked, options }
}

function isUsageError(asked: object): asked is UsageError {
  return 'usageError' in asked
}
