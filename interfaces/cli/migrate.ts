import { EXIT } from './exit-codes.ts'

/** The names of the migrations that were lacking, in the order of their application, and the latest of all. */
export type MigrationReport = { readonly applied: readonly string[]; readonly version: string }

/** Brings the database up to date and says what that took. */
export function migrate({
  applyMigrations,
  json,
  print,
}: {
  applyMigrations: () => MigrationReport
  json: boolean
  print: (text: string) => void
}): number {
  const { applied, version } = applyMigrations()
  if (json) print(JSON.stringify({ applied, version }))
  else if (applied.length === 0) print(`The database is up to date at ${version}.`)
  else print(applied.map((name) => `Applied ${name}.`).join('\n'))
  return EXIT.done
}
