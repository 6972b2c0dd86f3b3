import { parseArgs } from 'node:util'

export type CommandName = 'serve' | 'migrate' | 'healthcheck' | 'openapi' | 'version' | 'help'

export type Command = {
  readonly name: CommandName
  readonly summary: string
  /** What stands behind its name, as the usage shows it. */
  readonly operands: readonly string[]
  /** Beside those that every command has. */
  readonly options: readonly OptionName[]
  readonly details: string
}

export type OptionName = keyof typeof OPTIONS

export const OPTIONS = {
  'env-file': {
    type: 'string',
    usage: '--env-file FILE',
    summary: 'read settings from FILE; those of the environment win',
  },
  help: { type: 'boolean', short: 'h', usage: '--help, -h', summary: 'show help' },
  json: { type: 'boolean', usage: '--json', summary: 'write JSON' },
  version: { type: 'boolean', usage: '--version', summary: 'same as the command' },
} as const

export const COMMON_OPTIONS: readonly OptionName[] = ['env-file', 'help']

export const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'serve until asked to stop',
    operands: [],
    options: [],
    details:
      'Brings the database up to date and serves. SIGTERM lets the answers under way finish first.',
  },
  {
    name: 'migrate',
    summary: 'bring the database up to date',
    operands: [],
    options: ['json'],
    details: 'Applies the migrations that the database lacks. Needs no setting but DATABASE_URL.',
  },
  {
    name: 'healthcheck',
    summary: 'ask the service on this machine whether it is ready',
    operands: [],
    options: [],
    details: 'Asks the service at HOST and PORT. Exits 0 when it is ready, and 1 when it is not.',
  },
  {
    name: 'openapi',
    summary: 'print the description of the HTTP interface',
    operands: [],
    options: [],
    details: 'Prints the OpenAPI document that the service answers at /openapi.json.',
  },
  {
    name: 'version',
    summary: 'print the version',
    operands: [],
    options: ['json'],
    details: 'Prints the version.',
  },
  {
    name: 'help',
    summary: 'show help, also on a command',
    operands: ['[COMMAND]'],
    options: [],
    details: 'Shows what the command does and which options it takes.',
  },
]

/** What was asked for, or what is wrong with the way it was asked. */
export type CommandLine =
  | {
      readonly command: Exclude<CommandName, 'help'>
      readonly options: { readonly envFile: string | null; readonly json: boolean }
    }
  | { readonly command: 'help'; readonly topic: CommandName | null }
  | { readonly usageError: string }

/** Reads what follows the program's name. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { tokens, values, positionals } = parseArgs({
    args: [...argv],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const [given, ...operands] = positionals
  const name = given ?? (values.version ? 'version' : 'help')
  const command = COMMANDS.find((one) => one.name === name)
  if (!command) return { usageError: `unknown command ${JSON.stringify(name)}` }

  const allowed = [...COMMON_OPTIONS, ...command.options, ...(given ? [] : ['version'])]
  for (const token of tokens) {
    const problem = token.kind === 'option' ? findOptionProblem(token, allowed) : null
    if (problem) return { usageError: problem }
  }
  const surplus = operands[command.operands.length]
  if (surplus !== undefined) {
    return { usageError: `${command.name} does not take ${JSON.stringify(surplus)}` }
  }

  if (values.help) return { command: 'help', topic: given ? command.name : null }
  if (command.name === 'help') return parseTopic(operands)
  const envFile = values['env-file']
  return {
    command: command.name,
    options: {
      envFile: typeof envFile === 'string' ? envFile : null,
      json: values.json === true,
    },
  }
}

function parseTopic([operand]: readonly string[]): CommandLine {
  const topic = COMMANDS.find(({ name }) => name === operand)
  if (operand !== undefined && !topic) {
    return { usageError: `unknown command ${JSON.stringify(operand)}` }
  }
  return { command: 'help', topic: topic?.name ?? null }
}

/** parseArgs is lenient here, because its own errors can be told apart by their English words only. */
function findOptionProblem(
  {
    name,
    rawName,
    value,
    inlineValue,
  }: {
    name: string
    rawName: string
    value?: string | undefined
    inlineValue?: boolean | undefined
  },
  allowed: readonly string[],
): string | null {
  if (!allowed.includes(name)) return `unknown option ${JSON.stringify(rawName)}`
  if (name !== 'env-file') return value === undefined ? null : `${rawName} takes no value`
  if (!value || (value.startsWith('-') && !inlineValue)) return `${rawName} needs a file`
  return null
}
