import { Client, type PoolConfig } from 'pg'
import { ConfigError } from '../../config/config.ts'
import { isSocketFolder, type PostgresUrl } from '../../config/postgres-url.ts'
import { tlsOptions } from './tls-options.ts'

/** For the driver's pool: how its connections come about, and nothing of how many there are. */
export type ConnectionOptions = PoolConfig & {
  /** Whether to connect once more after such a failure, which then goes another way. */
  readonly fallsBack?: (error: unknown) => boolean
}

/** A line that was cut is noticed long before the system's own two hours. */
const KEEP_ALIVE_MS = 10_000

/** The driver's own words where it asked for TLS. */
const NO_TLS = 'The server does not support SSL connections'

// Why: docs/decisions.md#the-driver-gets-no-url
/** Throws `ConfigError` where a file for TLS cannot be read. */
export function postgresConnectionOptions(config: PostgresUrl) {
  const { host, port, user, database, password, applicationName, tls, connectTimeoutMs } = config
  const canHaveTls = tls.mode !== 'disable' && !isSocketFolder(host)
  let hasTls = canHaveTls
  let latestTls = canHaveTls && readTls(config)

  /** Anew for each connection, since certificates are renewed; what cannot be read just then stays as it was. */
  function renewedTls() {
    try {
      latestTls = tlsOptions(tls, host)
    } catch {}
    return latestTls
  }

  class ServiceClient extends Client {
    constructor() {
      super({
        host,
        port,
        user,
        database,
        password: password ?? noPassword,
        ssl: hasTls && renewedTls(),
        sslnegotiation: 'postgres',
        connectionTimeoutMillis: connectTimeoutMs,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        // Repositories send statements that do not wait for each other.
        pipeline: true,
      })
    }

    /**
     * A pooler may refuse whatever else a session could start with. In any other style of the server's, a moment would
     * be read as another one.
     */
    getStartupConf() {
      return { user, database, application_name: applicationName, datestyle: 'ISO' }
    }
  }

  return {
    Client: ServiceClient,
    // Whatever else a server fails with, it may be another one by the next time.
    fallsBack(error: unknown): boolean {
      const offersNone = error instanceof Error && error.message === NO_TLS
      hasTls = canHaveTls && !(tls.mode === 'prefer' && offersNone)
      return canHaveTls && !hasTls
    },
  } satisfies ConnectionOptions
}

/** Connects, and once more where that may help. */
export async function withFallback<Connected>(
  { fallsBack }: ConnectionOptions,
  connect: () => Promise<Connected>,
): Promise<Connected> {
  try {
    return await connect()
  } catch (error) {
    if (!fallsBack?.(error)) throw error
    return await connect()
  }
}

/**
 * A client of one's own, connected. `signal` cuts its line at any time. Throws `ConfigError` where a file for TLS
 * cannot be read.
 */
export async function connectClient(config: PostgresUrl, signal: AbortSignal): Promise<Client> {
  const options = postgresConnectionOptions(config)
  return await withFallback(options, async () => {
    signal.throwIfAborted()
    const client = new options.Client()
    const cut = () => void client.connection.stream.destroy()
    // What ends the connection also fails the statement that is under way.
    client.on('error', () => {})
    signal.addEventListener('abort', cut)
    try {
      return await client.connect()
    } catch (error) {
      cut()
      throw error
    }
  })
}

function noPassword(): never {
  throw new Error('the server asks for a password, and DATABASE_URL has none')
}

function readTls({ tls, host }: PostgresUrl) {
  try {
    return tlsOptions(tls, host)
  } catch (error) {
    throw new ConfigError([`DATABASE_URL: ${error instanceof Error ? error.message : error}`])
  }
}
