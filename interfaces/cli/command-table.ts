import { CUSTOMER_COMMANDS, PAYMENT_COMMANDS } from './customer-commands.ts'
import { MACHINE_COMMANDS, SERVING_COMMANDS } from './machine-commands.ts'

export type CommandName =
  | 'serve'
  | 'migrate'
  | 'doctor'
  | 'healthcheck'
  | 'grant'
  | 'revoke'
  | 'status'
  | 'grants'
  | 'logout'
  | 'unlock'
  | 'export'
  | 'erase'
  | 'purchases'
  | 'purchases show'
  | 'reconcile'
  | 'backup'
  | 'restore'
  | 'service install'
  | 'service uninstall'
  | 'service status'
  | 'service print'
  | 'completion'
  | 'openapi'
  | 'version'
  | 'help'

export type Command = {
  /** One word, or two where a command has a part of its own. */
  readonly name: CommandName
  readonly summary: string
  /** What stands behind its name, as the usage shows it: in brackets where it may be left out. */
  readonly operands: readonly string[]
  /** Beside those that every command has. */
  readonly options: readonly OptionName[]
  readonly details: string
}

/** How far back anything can be looked for. */
export const SINCE_MAX = '3650d'

export type OptionName = keyof typeof OPTIONS

export const OPTIONS = {
  'dry-run': { type: 'boolean', usage: '--dry-run', summary: 'only say what would be repaired' },
  'env-file': {
    type: 'string',
    needs: 'a file',
    usage: '--env-file FILE',
    summary: 'read settings from FILE; those of the environment win',
  },
  help: { type: 'boolean', short: 'h', usage: '--help, -h', summary: 'show help' },
  json: { type: 'boolean', usage: '--json', summary: 'write JSON' },
  'mail-to': {
    type: 'string',
    needs: 'an address such as anna@example.com',
    usage: '--mail-to EMAIL',
    summary: 'send a test mail to EMAIL',
  },
  offline: { type: 'boolean', usage: '--offline', summary: 'ask nobody over the network' },
  review: { type: 'boolean', usage: '--review', summary: 'only those that wait for an operator' },
  root: {
    type: 'string',
    needs: 'a folder',
    usage: '--root FOLDER',
    summary: 'work on the system whose root folder is FOLDER, such as an image',
  },
  since: {
    type: 'string',
    needs: `a duration such as 45s, 10m, 12h or 30d, at most ${SINCE_MAX}`,
    usage: '--since DURATION',
    summary: `look back at least so far: 45s, 10m, 12h, 30d, at most ${SINCE_MAX}`,
  },
  version: { type: 'boolean', usage: '--version', summary: 'same as the command' },
  yes: { type: 'boolean', usage: '--yes', summary: 'do not ask first' },
} as const

export const COMMON_OPTIONS: readonly OptionName[] = ['env-file', 'help']

const REFERENCE_COMMANDS: readonly Command[] = [
  {
    name: 'completion',
    summary: 'print what makes a shell complete these commands',
    operands: ['SHELL'],
    options: [],
    details: `Prints a script for SHELL, which is bash. For the running shell: source <(alibi completion bash).
For every new one: alibi completion bash >/etc/bash_completion.d/alibi`,
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
    details:
      'Prints the version; with --json also the commit that it was made from, and the runtime.',
  },
  {
    name: 'help',
    summary: 'show help, also on a command',
    operands: ['[COMMAND]'],
    options: [],
    details: 'Shows what the command does and which options it takes.',
  },
]

/** In the order in which help shows them. */
export const COMMAND_GROUPS: readonly {
  readonly title: string
  readonly commands: readonly Command[]
}[] = [
  { title: 'The service', commands: SERVING_COMMANDS },
  { title: 'Customers', commands: CUSTOMER_COMMANDS },
  { title: 'Payments', commands: PAYMENT_COMMANDS },
  { title: 'The machine', commands: MACHINE_COMMANDS },
  { title: 'Reference', commands: REFERENCE_COMMANDS },
]

export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands)
