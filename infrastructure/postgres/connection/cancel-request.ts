import type { PoolClient } from 'pg'
import { attempt } from './attempt.ts'
import { routeOf } from './negotiated-connection.ts'

/** https://www.postgresql.org/docs/current/protocol-message-formats.html: length and code of a CancelRequest. */
const LENGTH = 16
const CODE = 80_877_102

/**
 * Asks the server to end what it does on the connection, which then fails there with 57014. It may come too late, and
 * then end whatever follows, so that the connection has to be given up. Whether the request has come is not told.
 */
export function requestCancel(client: PoolClient, { withinMs }: { withinMs: number }): void {
  const { connection, processID, secretKey } = client as unknown as Login
  const route = routeOf(connection)
  if (!route || processID === null || secretKey === null) return
  const request = Buffer.alloc(LENGTH)
  for (const [index, value] of [LENGTH, CODE, processID, secretKey].entries()) {
    request.writeInt32BE(value, index * 4)
  }
  attempt(route, {
    withinMs,
    events: {
      onStream() {},
      // The server hangs up once it has read it.
      onOpen: (stream) => void stream.write(request),
      onFailed() {},
      onGivenUp() {},
    },
  })
}

/** What the driver's client has beside what its types tell. */
type Login = {
  readonly connection: object
  readonly processID: number | null
  readonly secretKey: number | null
}
