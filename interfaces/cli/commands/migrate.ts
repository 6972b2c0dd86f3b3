import type { MigrationReport } from '../../../application/upkeep/reports.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'bring the database up to date',
  operands: [],
  options: [JSON_OPTION],
  details: `Applies the migrations that the database lacks, after a copy of it as it was has been put beside
it. A PostgreSQL is not copied: back it up before.
Needs no setting but DATABASE_URL.`,
  parse: () => ({}),
  run: async (context) => migrate({ ...context, ...(await context.openMigration()) }),
}

/** Brings the database up to date and says what that took. */
export async function migrate({
  path,
  applyMigrations,
  json,
  print,
  progress,
}: Pick<CommandContext, 'json' | 'print' | 'progress'> & {
  /** Where the database is: a path, or a URL without its password. */
  path: string
  applyMigrations: () => Promise<MigrationReport>
}): Promise<number> {
  progress('looking at the database, copying and migrating it where it is behind …')
  const { applied, version, copy } = await applyMigrations().finally(() => progress(null))
  if (json) print(JSON.stringify({ database: path, applied, version, copy }))
  else if (applied.length === 0) print(`The database ${path} is up to date at ${version}.`)
  else print(describe({ path, applied, copy }))
  return EXIT.done
}

function describe({
  path,
  applied,
  copy,
}: { path: string } & Pick<MigrationReport, 'applied' | 'copy'>): string {
  return [
    ...(copy === null ? [] : [`The database as it was is kept as ${copy}.`]),
    ...applied.map((name) => `Applied ${name} to ${path}.`),
  ].join('\n')
}
