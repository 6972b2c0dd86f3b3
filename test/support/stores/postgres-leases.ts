import type { PostgresDatabase } from '../../../infrastructure/postgres/connection/database.ts'
import { postgresLease } from '../../../infrastructure/postgres/leases.ts'
import type { LeaseDatabase } from '../moved-replicas.ts'
import { emptyMigratedDatabase, openTestDatabase } from './postgres-store.ts'

/** Time passes in a database when what is in it gets older. */
export async function age({ query }: PostgresDatabase, milliseconds: number): Promise<void> {
  const older = [`${milliseconds} milliseconds`]
  await query('UPDATE leases SET expires_at = expires_at - $1::interval', older)
  await query(
    'UPDATE replicas SET started_at = started_at - $1::interval, seen_at = seen_at - $1::interval',
    older,
  )
}

export async function postgresLeases(): Promise<LeaseDatabase> {
  const database = openTestDatabase(await emptyMigratedDatabase())
  return {
    lease: (holder) => postgresLease(database, { holder }),
    pass: (milliseconds) => age(database, milliseconds),
  }
}
