import type { Client } from 'pg'
import { SECOND_MS } from '../../../domain/duration.ts'
import { ConfigError } from '../../config/config.ts'
import type { PostgresConfig } from '../../config/database-settings.ts'
import { connectClient } from './connection-options.ts'

/** A connection for what has to be done in one session. */
export type SingleConnection = {
  readonly client: Client
  /** Lifts the limit of `timeoutMs` for all that is done on the connection. */
  mayTakeLong(): void
  /** The error for the operator, who has to know which database it is. */
  unusable(error: unknown): Error
}

const END_WAIT_MS = 2 * SECOND_MS

/**
 * Connects. `named` is what the operator calls the database, without its password. Throws `unusable` where it cannot be
 * connected to, and `ConfigError` where a file for TLS cannot be read.
 */
export async function connectAlone(
  config: PostgresConfig,
  { named }: { named: string },
): Promise<SingleConnection> {
  const { timeoutMs } = config
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  const mayTakeLong = () => clearTimeout(timer)
  function unusable(error: unknown): Error {
    const cause = late.signal.aborted ? new Error(`no answer within ${timeoutMs} ms`) : error
    return new Error(`${named} cannot be used`, { cause })
  }

  try {
    const client = await connectClient(config, late.signal)
    client.once('end', mayTakeLong)
    return { client, mayTakeLong, unusable }
  } catch (error) {
    mayTakeLong()
    if (error instanceof ConfigError) throw error
    throw unusable(error)
  }
}

/** Never throws, and does not wait for long for a server that is silent. */
export async function endConnection(client: Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), END_WAIT_MS)
  try {
    await client.end()
  } catch {
    // It has ended by itself.
  } finally {
    clearTimeout(timer)
  }
}
