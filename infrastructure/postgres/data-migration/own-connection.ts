import { type Client, DatabaseError } from 'pg'
import { SECOND_MS } from '../../../domain/duration.ts'
import type { PostgresConfig } from '../../config/database-settings.ts'
import { IncompatibleDatabase } from '../../database/outage.ts'
import { isLockedRow } from '../connection/outage.ts'
import { connectAlone, endConnection } from '../connection/single-connection.ts'
import { assertUsable, LOCK_MIGRATIONS } from '../migrations.ts'
import { findLiveReplicas } from '../replicas.ts'

const LOCK_WAIT_MS = 10 * SECOND_MS

/**
 * For a transaction that takes its time: nothing of it is cut short, but for a line that was cut. PostgreSQL 17 has one
 * limit more.
 */
const WITHOUT_LIMITS = `
  SELECT set_config(name, value, true) FROM pg_settings JOIN (VALUES
    ('statement_timeout', '0'),
    ('transaction_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0'),
    ('lock_timeout', '${LOCK_WAIT_MS}'),
    ('tcp_keepalives_idle', '60'),
    ('tcp_keepalives_interval', '10'),
    ('tcp_keepalives_count', '6')
  ) AS wanted (name, value) USING (name)`

/** A connection for one long transaction. Throws `ConfigError` where a file for TLS cannot be read. */
export async function connectForLong(config: PostgresConfig): Promise<Client> {
  const { client, mayTakeLong, unusable } = await connectAlone(config, {
    named: `the database ${config.shownUrl}`,
  })
  try {
    await assertUsable(client)
    mayTakeLong()
    return client
  } catch (error) {
    void endConnection(client)
    throw unusable(error)
  }
}

/** What the server refuses, and a schema that does not fit, names the database. */
export async function namingDatabase<Result>(
  { shownUrl }: Pick<PostgresConfig, 'shownUrl'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DatabaseError || error instanceof IncompatibleDatabase)) throw error
    throw new Error(`the database ${shownUrl} cannot be used`, { cause: error })
  }
}

/** Begins a transaction in this mode, which is as BEGIN takes it. */
export async function beginWithoutLimits(client: Client, mode: string): Promise<void> {
  await client.query(`BEGIN ${mode}`)
  await client.query(WITHOUT_LIMITS)
}

/**
 * For the rest of the transaction, every service that starts on the database waits. Throws where one runs on it. The
 * transaction reads what is committed.
 */
export async function keepServicesAway(
  client: Client,
  { shownUrl }: Pick<PostgresConfig, 'shownUrl'>,
): Promise<void> {
  try {
    await client.query(LOCK_MIGRATIONS)
  } catch (error) {
    if (!isLockedRow(error)) throw error
    throw new Error(`the database ${shownUrl} is being migrated, or copied, by another process`)
  }
  // Only now: whoever starts says that it is there, and then waits for the lock.
  await assertNoService(client, shownUrl)
}

export async function assertNoService(client: Client, shownUrl: string): Promise<void> {
  const replicas = await findLiveReplicas({
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[],
  })
  if (replicas.length === 0) return
  throw new Error(
    `the database ${shownUrl} is in use by ${replicas.length === 1 ? 'a service: stop that' : `${replicas.length} services: stop them`} first; one that was killed counts for a minute more`,
  )
}
