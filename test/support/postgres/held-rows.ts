import { onTestFinished } from 'bun:test'
import { Client } from 'pg'
import { until } from '../executable/until.ts'

/** Rows that a transaction of the test has locked. */
export type HeldRows = AsyncDisposable & {
  /** Resolves once a transaction of the database waits for rows that are held, here or elsewhere. */
  untilWaitedFor(): Promise<void>
}

/** Locks what the statement locks, until it is disposed of or the test ends. */
export async function holdRows(url: string, statement: string): Promise<HeldRows> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('BEGIN')
  await client.query(statement)
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return {
    untilWaitedFor: () =>
      until('somebody waits', async () => (await client.query(waiting)).rowCount !== 0),
    async [Symbol.asyncDispose]() {
      await client.query('ROLLBACK')
    },
  }
}
