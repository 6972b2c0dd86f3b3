import type { DatabaseHealth } from '../../application/store.ts'
import type { PostgresDatabase } from './connection/database.ts'

const BEAT = `INSERT INTO heartbeat (id, at) VALUES (1, clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET at = excluded.at`

export function postgresDatabaseHealth(database: PostgresDatabase): DatabaseHealth {
  async function check(): Promise<void> {
    await database.query('SELECT count(*) FROM schema_migrations')
  }

  return {
    check,
    async checkWritable() {
      await database.write([], async ({ query, store }) => store(query(BEAT)))
    },
    lastWriteFailed: database.lastWriteFailed,
  }
}
