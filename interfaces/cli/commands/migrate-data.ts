import type { CopiedTable } from '../../../application/upkeep/reports.ts'
import type { Command, UsageError } from '../command.ts'
import type { CommandContext, DataMigration } from '../command-context.ts'
import { JSON_OPTION, type Option } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import { untilSignal } from '../stop-signal.ts'
import { alignColumns } from '../text-layout.ts'

const NEEDS = 'sqlite:PATH, postgres://USER@HOST:PORT/NAME, or env, which stands for DATABASE_URL'

const FROM_OPTION = {
  name: 'from',
  type: 'string',
  needs: NEEDS,
  value: 'DATABASE',
  summary: 'copy from sqlite:PATH, postgres://…, or env, which stands for DATABASE_URL',
} as const satisfies Option

const TO_OPTION = {
  name: 'to',
  type: 'string',
  needs: NEEDS,
  value: 'DATABASE',
  summary: 'copy into it, written in the same way',
} as const satisfies Option

type Asked = { readonly from: string; readonly to: string }

export const migrateDataCommand: Command<Asked> = {
  name: 'migrate-data',
  summary: 'copy an installation from SQLite to PostgreSQL, or back',
  operands: [],
  options: [FROM_OPTION, TO_OPTION, JSON_OPTION],
  details: `Copies everything, while no service runs on either database: stop it first, and start it with the
new DATABASE_URL afterwards. Tokens, codes, payment pages that are open, and mails and refunds that
wait, go on as before, with the same JWT_SECRET; only the rate limits of clients start anew. The
database that is copied is left as it was. The other one is made or migrated where it has to be, and
refused where it holds any customer's data. All is copied or nothing, also where the command is
killed.
Prints for each table how many rows it has, and their SHA-256 in the order of their key: of the
source, and of the copy as it was read back. Name the PostgreSQL by env, so that its password stands
on no command line. One PostgreSQL is copied to another by pg_dump, and SQLite by "alibi backup".
Needs no setting but DATABASE_URL.`,
  parse(_, { from, to }) {
    const [source, target] = [parsePlace(FROM_OPTION, from), parsePlace(TO_OPTION, to)]
    if (typeof source !== 'string') return source
    if (typeof target !== 'string') return target
    if (source === 'env' && target === 'env') {
      return { usageError: 'only one of --from and --to can be env' }
    }
    return { from: source, to: target }
  },
  async run(context, asked) {
    const migration = await context.openDataMigration(asked)
    const { stopping } = untilSignal('SIGTERM', 'SIGINT')
    return migrateData({ ...context, migration, stopping })
  },
}

/** No message repeats the value: it may have a password. */
function parsePlace(
  { name, needs }: typeof FROM_OPTION | typeof TO_OPTION,
  value: string | boolean | undefined,
): string | UsageError {
  const isPlace = typeof value === 'string' && /^(?:env$|sqlite:|postgres(?:ql)?:\/\/)/.test(value)
  return isPlace ? value : { usageError: `--${name} needs ${needs}` }
}

/** Copies one database into the other, and says what was copied. */
export async function migrateData({
  migration: { from, to, copy },
  json,
  print,
  progress,
  stopping,
}: Pick<CommandContext, 'json' | 'print' | 'progress'> & {
  readonly migration: DataMigration
  readonly stopping: AbortSignal
}): Promise<number> {
  const tables = await copy({
    onProgress: ({ step, table, rows }) => progress(`${step} ${table}: ${rows} rows …`),
    stopping,
  }).finally(() => progress(null))
  if (json) print(JSON.stringify({ from, to, tables }))
  else print(formatText({ from, to, tables }))
  return EXIT.done
}

function formatText({
  from,
  to,
  tables,
}: Pick<DataMigration, 'from' | 'to'> & {
  readonly tables: readonly CopiedTable[]
}): string {
  const header = ['table', 'rows', 'SHA-256', 'rows there', 'SHA-256 there']
  const rows = tables.map(({ name, source, target }) => [
    name,
    String(source.rows),
    source.sha256,
    String(target.rows),
    target.sha256,
  ])
  return [`Copied ${from} to ${to}:`, ...alignColumns([header, ...rows])].join('\n')
}
