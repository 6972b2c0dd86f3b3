import { onTestFinished } from 'bun:test'
import { once } from 'node:events'
import { join } from 'node:path'
import { Pool } from 'pg'
import { postgresLease } from '../../../infrastructure/postgres/leases.ts'
import type { Statements } from '../../../infrastructure/postgres/replicas.ts'
import type { LeaseDatabase } from '../moved-replicas.ts'
import { openFreshDatabase } from './fresh-database.ts'

const MIGRATIONS = join(import.meta.dir, '../../../infrastructure/postgres/migrations')

/** A database with the tables of the leases, on one pool of connections. */
export async function leaseTables(): Promise<Statements> {
  const database = await openFreshDatabase()
  const pool = new Pool({ connectionString: database.url, max: 20, pipeline: true })
  const closed: Promise<unknown>[] = []
  pool.on('connect', (client) => closed.push(once(client, 'end')))
  onTestFinished(async () => {
    await pool.end()
    await Promise.all(closed)
    await database[Symbol.asyncDispose]()
  })
  await pool.query(await Bun.file(join(MIGRATIONS, '0003_leases.sql')).text())
  return {
    query: async (text, values = []) => (await pool.query(text, [...values])).rows,
  }
}

/** Time passes in a database when what is in it gets older. */
export async function age(database: Statements, milliseconds: number): Promise<void> {
  const older = [`${milliseconds} milliseconds`]
  await database.query('UPDATE leases SET expires_at = expires_at - $1::interval', older)
  await database.query(
    'UPDATE replicas SET started_at = started_at - $1::interval, seen_at = seen_at - $1::interval',
    older,
  )
}

export async function postgresLeases(): Promise<LeaseDatabase> {
  const database = await leaseTables()
  return {
    lease: (holder) => postgresLease(database, { holder }),
    pass: (milliseconds) => age(database, milliseconds),
  }
}
