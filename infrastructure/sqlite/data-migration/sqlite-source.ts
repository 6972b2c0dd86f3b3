import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import type { DataSource } from '../../data-migration/copy-tables.ts'
import { resolveDatabasePath } from '../files.ts'
import { assertIntegrity } from '../integrity.ts'
import { MIGRATIONS, refuseOutdated } from '../migrations.ts'
import { assertSchema } from '../schema-check.ts'
import { tryServingLock } from '../serving-lock.ts'
import { BUSY_TIMEOUT_MS, namingDatabase } from '../storage-outage.ts'
import { sqliteTableReader } from './carried-statements.ts'

/**
 * A database of this executable's schema as it is now, checked for damage. It is changed in nothing; only the log of a
 * service that was killed may be folded in. No service starts on it until it is closed.
 */
export function openSqliteSource(databasePath: string): DataSource {
  const path = resolveDatabasePath(databasePath)
  // To lock it would make it.
  if (!existsSync(path)) throw new Error(`there is no database at ${path}`)
  const lock = namingDatabase(path, () => tryServingLock(path))
  if (!lock) throw new Error(`the database ${path} is in use by a service: stop that first`)
  let client: Database | null = null
  function close(): void {
    client?.close(true)
    lock?.release()
  }
  try {
    client = namingDatabase(path, () => beginReading(path))
    const lastNumber = client.prepare<{ seq: number }, [string]>(
      'SELECT seq FROM sqlite_sequence WHERE name = ?',
    )
    return {
      ...sqliteTableReader(client),
      lastNumber: ({ name }) => lastNumber.get(name)?.seq ?? 0,
      assertUnused() {
        if (!lock.isInPlace()) throw new Error(`${path} is another file now`)
      },
      close() {
        lastNumber.finalize()
        close()
      },
    }
  } catch (error) {
    close()
    throw error
  }
}

/** Leaves the mode of the journal as it is: a backup, for one, stays the file that its checksum is about. */
function beginReading(path: string): Database {
  const client = new Database(path, { readwrite: true, create: false })
  try {
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    client.run('PRAGMA query_only = ON')
    client.run('BEGIN')
    refuseOutdated(client, MIGRATIONS)
    assertSchema(client)
    assertIntegrity(client, path)
    return client
  } catch (error) {
    client.close(true)
    throw error
  }
}
