import { drizzle } from 'drizzle-orm/node-postgres'
import type { Client } from 'pg'
import type { WaitingWork } from '../../application/doctor/database.ts'
import type { ReplicaFacts } from '../../application/doctor/replicas.ts'
import { describeWaitingWork } from '../database/waiting-work.ts'
import type { PostgresDatabase } from '../postgres/connection/database.ts'
import { isLeaseHeld } from '../postgres/leases.ts'
import { MIGRATIONS } from '../postgres/migrations.ts'
import { postgresPurchaseRepository } from '../postgres/purchase-repository.ts'
import { findLiveReplicas } from '../postgres/replicas.ts'

/** The names of Alibi's tables, those of its migrations too. */
export const TABLES: readonly string[] = [
  'schema_migrations',
  'migration_lock',
  ...MIGRATIONS.flatMap(({ sql }) =>
    Array.from(sql.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm), ([, name = '']) => name),
  ),
]

/** What waits for the operator in a database of this executable's schema. */
export async function readWaitingWork(client: Client, now: Date): Promise<WaitingWork> {
  const { rows: givenUp } = await client.query<{ id: string }>(
    `SELECT purchase_id AS id FROM outbox WHERE state = 'given_up'
     GROUP BY purchase_id ORDER BY max(ended_at) DESC`,
  )
  const { rows: oldest } = await client.query<{ at: Date | null }>(
    "SELECT min(created_at) AS at FROM outbox WHERE state = 'waiting'",
  )
  const facts = { givenUp: givenUp.map(({ id }) => id), oldestMessageAt: oldest[0]?.at ?? null }
  const purchases = postgresPurchaseRepository(readOnly(client))
  return describeWaitingWork(facts, { purchases, clock: { now: () => now } })
}

/** Who serves on a database of this executable's schema. */
export async function readReplicas(client: Client): Promise<ReplicaFacts> {
  const database = readOnly(client)
  return { live: await findLiveReplicas(database), isLed: await isLeaseHeld(database) }
}

/** Each statement sees a moment of its own. */
function readOnly(client: Client): PostgresDatabase {
  const queries = drizzle({ client })
  return {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[],
    read: async (work) => work(queries),
    readTogether: (work) => work(queries),
    write() {
      throw new Error('it is only looked at')
    },
    lastWriteFailed: () => false,
    poolState: () => ({ open: 1, idle: 0, waiting: 0, max: 1 }),
    close() {},
  }
}
