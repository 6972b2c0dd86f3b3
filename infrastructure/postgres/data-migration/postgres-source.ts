import type { Client } from 'pg'
import type { PostgresConfig } from '../../config/database-settings.ts'
import type { CarriedTable } from '../../data-migration/carried-tables.ts'
import type { DataSource } from '../../data-migration/copy-tables.ts'
import { endConnection } from '../connection/single-connection.ts'
import { refuseOutdated } from '../migrations.ts'
import { postgresTableReader } from './carried-statements.ts'
import {
  beginWithoutLimits,
  connectForLong,
  keepServicesAway,
  namingDatabase,
} from './own-connection.ts'

/** A database of this executable's schema as it is now. No service starts on it until it is closed. */
export async function openPostgresSource(config: PostgresConfig): Promise<DataSource> {
  const clients: Client[] = []
  async function connect(): Promise<Client> {
    const client = await connectForLong(config)
    clients.push(client)
    return client
  }
  // To end a connection ends its transaction.
  const close = async () => void (await Promise.all(clients.map(endConnection)))
  try {
    // A transaction that only reads can lock no row, so that another one does.
    const [guard, reader] = [await connect(), await connect()]
    await namingDatabase(config, async () => {
      await refuseOutdated(guard)
      await beginWithoutLimits(guard, 'ISOLATION LEVEL READ COMMITTED')
      await keepServicesAway(guard, config)
      await beginWithoutLimits(reader, 'ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await refuseOutdated(reader)
    })
    return {
      ...postgresTableReader(reader),
      lastNumber: (table) => lastNumber(reader, table),
      async assertUnused() {
        await guard.query('SELECT 1')
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A role that does not own the table may not look; then those numbers count that are there. */
async function lastNumber(
  reader: Client,
  { name, key: [column = ''] }: CarriedTable,
): Promise<number> {
  const { rows: sequences } = await reader.query<{ sequence: string; isOpen: boolean }>(
    `SELECT sequence, has_sequence_privilege(sequence, 'SELECT') AS "isOpen"
     FROM pg_get_serial_sequence($1, $2) AS sequence`,
    [name, column],
  )
  const [found] = sequences
  if (!found?.isOpen) return 0
  const { rows } = await reader.query<{ last: string }>(
    `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last FROM ${found.sequence}`,
  )
  return Number(rows[0]?.last ?? 0)
}
