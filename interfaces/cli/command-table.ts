export type CommandName =
  | 'serve'
  | 'migrate'
  | 'healthcheck'
  | 'grant'
  | 'revoke'
  | 'status'
  | 'purchases'
  | 'purchases show'
  | 'reconcile'
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
  review: { type: 'boolean', usage: '--review', summary: 'only those that wait for an operator' },
  since: {
    type: 'string',
    needs: `a duration such as 45s, 10m, 12h or 30d, at most ${SINCE_MAX}`,
    usage: '--since DURATION',
    summary: `look back at least so far: 45s, 10m, 12h, 30d, at most ${SINCE_MAX}`,
  },
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
    name: 'grant',
    summary: 'give an address premium by your word',
    operands: ['EMAIL'],
    options: ['json'],
    details: `Gives EMAIL premium without a payment, until it is revoked. An address that has such a grant already
gets no second one; the line that is printed says so, and the exit code is 0 all the same.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  },
  {
    name: 'revoke',
    summary: 'take premium away from an address',
    operands: ['EMAIL'],
    options: ['json'],
    details: `Revokes every grant that EMAIL has now, bought or given, and prints how many; 0 is no failure. It
works from the next request on. No money moves: refund at the payment provider. A purchase that is
paid later gives premium again.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  },
  {
    name: 'status',
    summary: 'show whether an address has premium, and why',
    operands: ['EMAIL'],
    options: ['json'],
    details: `Prints whether EMAIL has premium, its grants, purchases, refunds and disputes, and the audit trail:
every change of a grant, when, by whom, why, through what, and whether the grant gave premium then.
An address that nobody knows is no failure. Reads only the database, and not the payment provider.
Needs no setting but DATABASE_URL.`,
  },
  {
    name: 'purchases',
    summary: 'list the purchases, or those that wait for you',
    operands: [],
    options: ['review', 'json'],
    details: `Prints a line for each purchase, oldest first. --review leaves only those where money came that was
not asked for: it gave no access, and has not been refunded. With --json each line is an object of
its own (NDJSON), and there is none when there are no purchases.
Needs no setting but DATABASE_URL.`,
  },
  {
    name: 'purchases show',
    summary: 'read a purchase anew from the payment provider, and show it',
    operands: ['ID'],
    options: ['json'],
    details: `Reads the purchase ID from the payment provider, takes into account what it finds, and prints all
that is known: facts, grant, refunds, disputes, messages and audit trail, and what to do about it
where it waits for an operator. Exits 1 when nobody knows the ID, and, after it has printed what is
known, when the provider is out of reach.
Needs the settings of the service.`,
  },
  {
    name: 'reconcile',
    summary: 'ask the payment provider for what it failed to report',
    operands: [],
    options: ['since', 'dry-run', 'json'],
    details: `Compares the purchases, refunds and disputes with the payment provider's records and repairs what
differs, as the service does by itself; it works while the service runs. Each kind of record is
looked at from some days before the last run on; --since looks further back. Prints what each sweep
checked and repaired. --dry-run stores nothing and says what would be repaired; what two sweeps come
upon then counts in both. SIGTERM and SIGINT end it after the object under way; the next run sees
what it missed. Exits 0 when every sweep was finished and nothing failed, else 1.
Needs the settings of the service.`,
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
