import { onTestFinished } from 'bun:test'
import { Client } from 'pg'
import { until } from '../executable/until.ts'

/** Rows that a transaction of the test has locked. */
export type HeldRows = AsyncDisposable & {
  /** Resolves once so many transactions of the database wait for rows that are held, here or elsewhere. */
  untilWaitedFor(transactions?: number): Promise<void>
  /** Lets them go as the statement has left them. */
  commit(): Promise<void>
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
  async function countWaiting(): Promise<number> {
    // A transaction sees what the others did when it looked for the first time.
    await client.query('SELECT pg_stat_clear_snapshot()')
    return (await client.query(waiting)).rowCount ?? 0
  }

  return {
    untilWaitedFor: (transactions = 1) =>
      until('somebody waits', async () => (await countWaiting()) === transactions),
    async commit() {
      await client.query('COMMIT')
    },
    async [Symbol.asyncDispose]() {
      await client.query('ROLLBACK')
    },
  }
}
