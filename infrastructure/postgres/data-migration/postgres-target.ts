import type { Client } from 'pg'
import type { PostgresConfig } from '../../config/database-settings.ts'
import { CARRIED_TABLES, type CarriedTable } from '../../data-migration/carried-tables.ts'
import type { DataTarget } from '../../data-migration/copy-tables.ts'
import { endConnection } from '../connection/single-connection.ts'
import { applyMigrations, refuseOutdated } from '../migrations.ts'
import { insertRows, postgresTableReader } from './carried-statements.ts'
import {
  assertNoService,
  beginWithoutLimits,
  connectForLong,
  keepServicesAway,
  namingDatabase,
} from './own-connection.ts'

/**
 * A database to copy into, which is migrated. Throws where it holds a customer's data, or where a service runs on it;
 * then it is not migrated.
 */
export async function openPostgresTarget(config: PostgresConfig): Promise<DataTarget> {
  const { shownUrl } = config
  const client = await connectForLong(config)
  try {
    await namingDatabase(config, () => beginFilling(client, config))
  } catch (error) {
    await endConnection(client)
    throw error
  }
  return {
    ...postgresTableReader(client),
    insert: (table, rows) => insertRows(client, table, rows),
    countOn: (table, lastNumber) => countOn(client, table, lastNumber),
    async commit() {
      // The first requests must not be planned for tables without rows.
      await client.query(`ANALYZE ${CARRIED_TABLES.map(({ name }) => name).join(', ')}`)
      await commit(client, shownUrl)
      await endConnection(client)
    },
    // To end the connection ends the transaction.
    abandon: () => endConnection(client),
  }
}

async function beginFilling(client: Client, config: PostgresConfig): Promise<void> {
  const { shownUrl } = config
  await refuseBeforeMigrating(client, shownUrl)
  await applyMigrations(client)
  await assertOwner(client, shownUrl)
  await beginWithoutLimits(client, 'ISOLATION LEVEL READ COMMITTED READ WRITE')
  await keepServicesAway(client, config)
  await refuseOutdated(client)
  await assertEmpty(client, CARRIED_TABLES, shownUrl)
  for (const { name, initialRows } of CARRIED_TABLES) {
    if (initialRows !== null) await client.query(`DELETE FROM ${name} WHERE ${initialRows}`)
  }
}

/** What is refused must not be migrated either. It may be of an older release, which has not all of the tables. */
async function refuseBeforeMigrating(client: Client, shownUrl: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
    [[...CARRIED_TABLES.map(({ name }) => name), 'replicas']],
  )
  const present = rows.map(({ name }) => name)
  if (present.includes('replicas')) await assertNoService(client, shownUrl)
  const tables = CARRIED_TABLES.filter(({ name }) => present.includes(name))
  await assertEmpty(client, tables, shownUrl)
}

/** Nobody else can have the database go on counting where the source was. */
async function assertOwner(client: Client, shownUrl: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT FROM pg_class
     WHERE oid = ANY($1::regclass[]) AND NOT pg_has_role(relowner, 'USAGE')`,
    [CARRIED_TABLES.map(({ name }) => name)],
  )
  if (rows.length === 0) return
  throw new Error(
    `the role of ${shownUrl} does not own its tables: copy into it by the role that "alibi migrate" runs with`,
  )
}

async function assertEmpty(
  client: Client,
  tables: readonly CarriedTable[],
  shownUrl: string,
): Promise<void> {
  for (const { name, initialRows } of tables) {
    const { rows } = await client.query(
      `SELECT FROM ${name} WHERE NOT (${initialRows ?? 'false'}) LIMIT 1`,
    )
    if (rows.length > 0) throw new Error(`the database ${shownUrl} holds data already, in ${name}`)
  }
}

/** Unlike `setval`, this is undone with the transaction. */
async function countOn(
  client: Client,
  { name, key: [column = ''] }: CarriedTable,
  lastNumber: number,
): Promise<void> {
  const { rows } = await client.query<{ last: string | null }>(
    `SELECT max(${column}) AS last FROM ${name}`,
  )
  const next = Math.max(lastNumber, Number(rows[0]?.last ?? 0)) + 1
  await client.query(`ALTER TABLE ${name} ALTER COLUMN ${column} RESTART WITH ${next}`)
}

async function commit(client: Client, shownUrl: string): Promise<void> {
  try {
    const { command } = await client.query('COMMIT')
    if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`)
  } catch (error) {
    throw new Error(
      `the connection to ${shownUrl} failed at the very end: run it again, and where it says that the database holds data already, the copy is whole`,
      { cause: error },
    )
  }
}
