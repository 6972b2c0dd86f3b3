import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PoolClient, QueryConfig, QueryResult } from 'pg'
import { statementError } from './outage.ts'

export type Queries = NodePgDatabase

/** A connection in the hands of one caller. Statements that are sent without waiting travel together. */
export type Connection = {
  readonly queries: Queries
  /** Rejects with `Unavailable('storage')` where the database fails, else with the server's error. */
  send(text: string, values?: readonly unknown[]): Promise<QueryResult>
  /** What the first statement failed with since the last call, which others may only have followed; else null. */
  takeFailure(): unknown
}

export function connectionOf(client: PoolClient): Connection {
  let failure: unknown = null

  async function query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult> {
    try {
      return await client.query(config as QueryConfig, values)
    } catch (error) {
      const translated = statementError(error)
      failure ??= translated
      throw translated
    }
  }

  return {
    // All that drizzle asks of a connection.
    queries: drizzle({ client: { query } as unknown as PoolClient }),
    send: (text, values) => query(text, values && [...values]),
    takeFailure() {
      const taken = failure
      failure = null
      return taken
    },
  }
}
