import { hasPostgres } from '../postgres/binaries.ts'
import { query } from '../postgres/query.ts'
import { emptyMigratedDatabase } from '../stores/postgres-store.ts'
import { openProduction, type Production } from './production.ts'
import { carriedOut } from './stored.ts'
import { until } from './until.ts'

type Place = {
  readonly production: Production
  /** Resolves when nothing waits in the outbox any more. */
  carriedOut(): Promise<void>
}

/** Production on each database. */
export const PRODUCTIONS: readonly (readonly [name: string, open: () => Promise<Place>])[] = [
  ['sqlite', openOnFile],
  ...(hasPostgres() ? [['postgres', openOnPostgres] as const] : []),
]

async function openOnFile(): Promise<Place> {
  const production = await openProduction()
  return { production, carriedOut: () => carriedOut(production) }
}

async function openOnPostgres(): Promise<Place> {
  const databaseUrl = await emptyMigratedDatabase()
  return {
    production: await openProduction({ databaseUrl }),
    carriedOut: () => untilCarriedOut(databaseUrl),
  }
}

/** Resolves when nothing waits in the outbox of a PostgreSQL any more. */
export function untilCarriedOut(databaseUrl: string): Promise<void> {
  const waiting = "SELECT FROM outbox WHERE state = 'waiting' LIMIT 1"
  return until(
    'nothing waits in the outbox',
    async () => (await query(databaseUrl, waiting)).length === 0,
  )
}
