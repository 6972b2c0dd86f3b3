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

/** A command, and what was asked of it; one type for each name. */
type Line<Name extends CommandName, Asked = unknown> = Name extends CommandName
  ? { readonly command: Name; readonly options: ParsedOptions } & Asked
  : never

/** What was asked for, or what is wrong with the way it was asked. */
export type CommandLine =
  | Line<'serve' | 'migrate' | 'healthcheck' | 'grants' | 'completion' | 'openapi' | 'version'>
  | Line<'service status' | 'service print'>
  | Line<'grant' | 'revoke' | 'status' | 'logout' | 'unlock' | 'export', { readonly email: Email }>
  | Line<'erase', { readonly email: Email; readonly yes: boolean }>
  | Line<'purchases', { readonly review: boolean }>
  | Line<'purchases show', { readonly id: PurchaseId }>
  | Line<'reconcile', { readonly sinceMs: number | null; readonly dryRun: boolean }>
  | Line<'doctor', { readonly mailTo: Email | null; readonly offline: boolean }>
  | Line<'backup', { readonly file: string }>
  | Line<'restore', { readonly file: string; readonly yes: boolean }>
  | Line<'service install' | 'service uninstall', { readonly root: string; readonly yes: boolean }>
  | { readonly command: 'help'; readonly topic: CommandName | null }
  | UsageError

/** Those of these names. */
export type LineOf<Name extends CommandName> = Extract<CommandLine, { command: Name }>

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
  if (!found) return refuseCommand(words)

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

function refuseCommand([word = '']: readonly string[]): UsageError {
  const parts = COMMANDS.map(({ name }) => name.split(' '))
    .filter(([first, second]) => first === word && second !== undefined)
    .map(([, second]) => second)
  if (parts.length > 0) return { usageError: `${word} needs one of ${parts.join(', ')}` }
  return { usageError: `unknown command ${quote(word)}` }
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
  if (!found) return refuseCommand(words)
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
  const missing = wanted.find((_, place) => !operands[place])
  return missing === undefined || missing.startsWith('[')
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
  const yes = values.yes === true
  switch (name) {
    case 'grant':
    case 'revoke':
    case 'status':
    case 'logout':
    case 'unlock':
    case 'export': {
      const email = findEmail(operand)
      return email === null ? refuseAddress(name, operand) : { command: name, email, options }
    }
    case 'erase': {
      const email = findEmail(operand)
      return email === null ? refuseAddress(name, operand) : { command: name, email, yes, options }
    }
    case 'doctor': {
      const address = values['mail-to']
      const mailTo = typeof address === 'string' ? findEmail(address) : null
      const offline = values.offline === true
      if (address !== undefined && mailTo === null) {
        return { usageError: `--mail-to needs ${OPTIONS['mail-to'].needs}` }
      }
      if (mailTo !== null && offline) {
        return { usageError: '--mail-to and --offline exclude each other' }
      }
      return { command: name, mailTo, offline, options }
    }
    case 'backup':
      return { command: name, file: operand, options }
    case 'restore':
      return { command: name, file: operand, yes, options }
    case 'service install':
    case 'service uninstall': {
      const { root = '/' } = values
      return { command: name, root: String(root), yes, options }
    }
    case 'completion':
      if (operand !== 'bash') {
        return { usageError: `completion knows the shell bash, not ${quote(operand)}` }
      }
      return { command: name, options }
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

function refuseAddress(name: CommandName, operand: string): UsageError {
  return { usageError: `${name} needs an address such as anna@example.com, not ${quote(operand)}` }
}

/** On one line, and with nothing in it that a terminal acts on. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
