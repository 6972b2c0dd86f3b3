import { IncompatibleDatabase } from './outage.ts'

export type Migration = { readonly name: string; readonly sql: string }

/** A migration that a database has on record, with the SHA-256 of its SQL in hexadecimal. */
export type AppliedMigration = { readonly name: string; readonly sha256: string }

/** The hash by which a database remembers what was applied. */
export function hashOf({ sql }: Migration): string {
  return new Bun.CryptoHasher('sha256').update(sql).digest('hex')
}

/**
 * The migrations that a database with this history lacks, in order. Errors call the database `subject`. `findBackup`
 * returns what to restore to get the state before a migration; null where there is no such copy. Throws
 * `IncompatibleDatabase` for a database that a newer executable has migrated, or one whose migrations are not those of
 * this executable.
 */
export function comparePending(
  history: readonly AppliedMigration[],
  migrations: readonly Migration[],
  { subject, findBackup }: { subject: string; findBackup: (migration: string) => string | null },
): readonly Migration[] {
  const unknown = findUnknown(history, migrations)
  const [first] = unknown
  if (first) {
    const names = unknown.map(({ name }) => name).join(', ')
    const backup = findBackup(first.name) ?? 'a backup from before that'
    throw new IncompatibleDatabase(
      `${subject} is newer than this executable: it has the migration ${names}, the executable knows those up to ${newestOf(migrations)}; install the newer executable again, or restore ${backup}`,
    )
  }
  const changed = findChanged(history, migrations)
  if (changed) {
    const { applied, known } = changed
    throw new IncompatibleDatabase(
      `the migration ${known.name} that ${subject} has is not the one of this executable: sha256 ${applied.sha256} there, ${hashOf(known)} here`,
    )
  }
  return findMissing(history, migrations)
}

/** The newest of them; `none` where there is none. */
export function newestOf(migrations: readonly { readonly name: string }[]): string {
  return migrations.at(-1)?.name ?? 'none'
}

function findUnknown(history: readonly AppliedMigration[], migrations: readonly Migration[]) {
  return history.filter(({ name }) => !migrations.some((known) => known.name === name))
}

function findMissing(history: readonly AppliedMigration[], migrations: readonly Migration[]) {
  return migrations.filter(({ name }) => !history.some((applied) => applied.name === name))
}

function findChanged(history: readonly AppliedMigration[], migrations: readonly Migration[]) {
  for (const known of migrations) {
    const applied = history.find(({ name }) => name === known.name)
    if (applied && applied.sha256 !== hashOf(known)) return { applied, known }
  }
  return null
}
