import { Client, type PoolConfig } from 'pg'
import { ConfigError } from '../../config/config.ts'
import type { PostgresConfig } from '../../config/database-settings.ts'
import type { PostgresTls } from '../../config/postgres-url.ts'
import { isFolder, type Route } from './attempt.ts'
import { channelBindingCheck, type LoginCheck } from './channel-binding.ts'
import { negotiatedConnection, type Routes } from './negotiated-connection.ts'
import { tlsOptions } from './tls-options.ts'

/**
 * For the driver's pool: how its connections come about, and nothing of how many there are. Nothing is left to the
 * driver's own sources, which are variables and files of the user. Throws `ConfigError` where a file for TLS cannot be
 * read.
 */
export function postgresConnectionOptions(config: PostgresConfig): PoolConfig {
  refuseUnreadable(config)
  const routes = routesOf(config)
  const password = config.password ?? noPassword
  // The pool makes its clients by `new`, for which a function may return one.
  function NegotiatedClient(options: PoolConfig): Client {
    const connection = negotiatedConnection(routes)
    // The pool hides the password from what copies its options.
    const client = new Client({ ...options, password, connection } as PoolConfig)
    const { user, database, applicationName } = config
    return Object.assign(client, {
      // A pooler may refuse whatever else a session could start with. In any other style of the server's, a moment
      // would be read as another one.
      getStartupConf: () => ({
        user,
        database,
        application_name: applicationName,
        datestyle: 'ISO',
      }),
    })
  }
  return {
    user: config.user,
    database: config.database,
    password,
    ssl: false,
    enableChannelBinding: config.tls.isBindingRequired,
    Client: NegotiatedClient as unknown as new () => Client,
  }
}

const ANY_LOGIN: LoginCheck = () => true

/** A client that has not connected yet. Throws `ConfigError` where a file for TLS cannot be read. */
export function postgresClient(config: PostgresConfig): Client {
  const { Client: NegotiatedClient = Client, ...options } = postgresConnectionOptions(config)
  // Repositories send statements that do not wait for each other. The driver's types do not know it yet.
  const client = new NegotiatedClient({ ...options, ...{ pipeline: true } })
  if (client instanceof Client) return client
  throw new Error('the driver makes clients of another kind')
}

function noPassword(): never {
  throw new Error('the server asks for a password, and DATABASE_URL has none')
}

function refuseUnreadable({ tls }: PostgresConfig): void {
  if (tls.mode === 'disable') return
  try {
    tlsOptions(tls, '')
  } catch (error) {
    throw new ConfigError([`DATABASE_URL: ${error instanceof Error ? error.message : error}`])
  }
}

function routesOf(config: PostgresConfig): Routes {
  const { hosts, tls, connectTimeoutMs, timeoutMs } = config
  const isOne = hosts.length === 1
  let preferred = 0
  return {
    // The server that was there the last time is most probably still there.
    list: () =>
      [...hosts.slice(preferred), ...hosts.slice(0, preferred)].flatMap((host) =>
        routesTo(host, tls),
      ),
    // All together have the time of one.
    eachMs: connectTimeoutMs ?? (isOne ? null : timeoutMs / hosts.length),
    mustTakeWrites: !isOne,
    loginCheck: tls.isBindingRequired ? channelBindingCheck : () => ANY_LOGIN,
    onTaken({ host, port }) {
      preferred = hosts.findIndex((one) => one.host === host && one.port === port)
    },
  }
}

/** What libpq tries for each `sslmode`, in its order. A Unix socket never has TLS. */
function routesTo(
  { host, port }: PostgresConfig['hosts'][number],
  tls: PostgresTls,
): readonly Route[] {
  const clear = { host, port, tls: null, isTlsOptional: false }
  if (isFolder(host) || tls.mode === 'disable') return [clear]
  const secured = { host, port, tls: tlsOptions(tls, host), isTlsOptional: tls.mode === 'prefer' }
  if (tls.mode === 'allow') return [clear, secured]
  return tls.mode === 'prefer' ? [secured, clear] : [secured]
}
