import { Connection, type PoolClient } from 'pg'
import { isSocketFolder } from '../../config/postgres-url.ts'

/**
 * Asks the server to end what it does on the connection, which then fails there with 57014. It may come too late, and
 * then end whatever follows, so that the connection has to be given up. Whether the request has come is not told.
 */
export function requestCancel(client: PoolClient, { withinMs }: { withinMs: number }): void {
  const { processID, secretKey, ssl, host, port, connection } = client as unknown as Login
  if (processID === null || secretKey === null) return
  const asking = new Connection({ ssl }) as Asking
  const cancel = () => asking.cancel(processID, secretKey)
  const timer = setTimeout(() => asking.stream.destroy(), withinMs)
  asking.on('error', () => {})
  // The server hangs up once it has read the request.
  asking.on('end', () => clearTimeout(timer))
  asking.on('connect', ssl ? () => asking.requestSsl() : cancel)
  asking.on('sslconnect', cancel)
  // By its address: a name may lead to another server by now.
  if (isSocketFolder(host)) asking.connect(`${host}/.s.PGSQL.${port}`)
  else asking.connect(port, connection.stream.remoteAddress ?? host)
}

/** What the driver's client and connection have beside what their types tell. */
type Login = Pick<PoolClient, 'ssl' | 'host' | 'port'> & {
  readonly processID: number | null
  readonly secretKey: number | null
  readonly connection: { readonly stream: { readonly remoteAddress?: string } }
}

type Asking = Connection & {
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: number): void
}
