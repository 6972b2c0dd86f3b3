import { parseArgs } from 'node:util'
import { parseDuration } from '../../domain/duration.ts'
import { type Email, findEmail } from '../../domain/email.ts'
import { type PurchaseId, readPurchaseId } from '../../domain/purchase.ts'
import {
  COMMANDS,
  COMMON_OPTIONS,
  type Command,
  type CommandName,
  OPTIONS,
  type OptionName,
  SINCE_MAX,
} from './command-table.ts'

type ParsedOptions = { readonly envFile: string | null; readonly json: boolean }

/** What was asked for, or what is wrong with the way it was asked. */
type CommandLine =
  | {
      readonly command: 'serve' | 'migrate' | 'healthcheck' | 'openapi' | 'version'
      readonly options: ParsedOptions
    }
  | {
      readonly command: 'grant' | 'revoke' | 'status'
      readonly email: Email
      readonly options: ParsedOptions
    }
  | {
      readonly command: 'purchases'
      readonly review: boolean
      readonly options: ParsedOptions
    }
  | {
      readonly command: 'purchases show'
      readonly id: PurchaseId
      readonly options: ParsedOptions
    }
  | {
      readonly command: 'reconcile'
      readonly sinceMs: number | null
      readonly dryRun: boolean
      readonly options: ParsedOptions
    }
  | { readonly command: 'help'; readonly topic: CommandName | null }
  | UsageError

type UsageError = { readonly usageError: string }
type Values = { readonly [Name in OptionName]?: string | boolean | undefined }

const SINCE_MAX_MS = parseDuration(SINCE_MAX) ?? 0

/** Reads what follows the program's name. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { tokens, values, positionals } = parseArgs({
    args: [...argv],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const isNamed = positionals.length > 0
  const words = isNamed ? positionals : [values.version ? 'version' : 'help']
  const found = findCommand(words)
  if (!found) return { usageError: `unknown command ${quote(words[0] ?? '')}` }

  const { command, operands } = found
  const options = [...COMMON_OPTIONS, ...command.options]
  const allowed = isNamed ? options : [...options, 'version' as const]
  for (const token of tokens) {
    const problem = token.kind === 'option' ? findOptionProblem(token, command.name, allowed) : null
    if (problem) return { usageError: problem }
  }
  if (values.help) return { command: 'help', topic: isNamed ? command.name : null }
  if (command.name === 'help') return parseTopic(operands)

  const problem = findOperandProblem(command, operands)
  return problem ? { usageError: problem } : parseMeaning(command.name, operands, values)
}

/** The longest name that the words begin with, and the words behind it. */
function findCommand(
  words: readonly string[],
): { command: Command; operands: readonly string[] } | null {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    const command = COMMANDS.find((one) => one.name === name)
    if (command) return { command, operands: words.slice(length) }
  }
  return null
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
  command: CommandName,
  allowed: readonly OptionName[],
): string | null {
  if (!isOptionName(name)) return `unknown option ${quote(rawName)}`
  if (!allowed.includes(name)) return `${command} does not take ${rawName}`

  const option = OPTIONS[name]
  if (option.type === 'boolean') return value === undefined ? null : `${rawName} takes no value`
  const isMissing = !value || (value.startsWith('-') && !inlineValue)
  return isMissing ? `${rawName} needs ${option.needs}` : null
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name)
}

function parseTopic(words: readonly string[]): CommandLine {
  if (words.length === 0) return { command: 'help', topic: null }
  const found = findCommand(words)
  if (!found) return { usageError: `unknown command ${quote(words[0] ?? '')}` }
  const [surplus] = found.operands
  if (surplus !== undefined) return { usageError: `help does not take ${quote(surplus)}` }
  return { command: 'help', topic: found.command.name }
}

function findOperandProblem(
  { name, operands: wanted }: Command,
  operands: readonly string[],
): string | null {
  const surplus = operands[wanted.length]
  if (surplus !== undefined) return `${name} does not take ${quote(surplus)}`
  const missing = wanted[operands.length]
  return missing === undefined
    ? null
    : `${name} needs ${missing}: alibi ${name} ${wanted.join(' ')}`
}

function parseMeaning(
  name: Exclude<CommandName, 'help'>,
  [operand = '']: readonly string[],
  values: Values,
): CommandLine {
  const envFile = values['env-file']
  const options = {
    envFile: typeof envFile === 'string' ? envFile : null,
    json: values.json === true,
  }
  switch (name) {
    case 'grant':
    case 'revoke':
    case 'status': {
      const email = findEmail(operand)
      if (email === null) {
        return {
          usageError: `${name} needs an address such as anna@example.com, not ${quote(operand)}`,
        }
      }
      return { command: name, email, options }
    }
    case 'purchases':
      return { command: name, review: values.review === true, options }
    case 'purchases show': {
      const id = readPurchaseId(operand)
      if (id === null) {
        return {
          usageError: `${name} needs an ID as "alibi purchases" lists it, not ${quote(operand)}`,
        }
      }
      return { command: name, id, options }
    }
    case 'reconcile': {
      const { since } = values
      const sinceMs = typeof since === 'string' ? parseDuration(since) : null
      if (since !== undefined && (sinceMs === null || sinceMs > SINCE_MAX_MS)) {
        return { usageError: `--since needs ${OPTIONS.since.needs}` }
      }
      return { command: name, sinceMs, dryRun: values['dry-run'] === true, options }
    }
    default:
      return { command: name, options }
  }
}

/** On one line, and with nothing in it that a terminal acts on. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
