import { connect, createServer, type Socket } from 'node:net'

/** What a service asks of its PostgreSQL. */
export type Asked = {
  readonly statements: number
  /** How often it waited for an answer before it went on: statements that are sent together wait together. */
  readonly roundTrips: number
}

/** Stands between a service and its PostgreSQL, and counts. Without TLS, which it could not look into. */
type StatementCounter = Disposable & {
  /** The URL with the counter in place of the server. */
  readonly url: string
  asked(): Asked
}

/** The first message of a connection has no type. */
const LENGTH_BYTES = 4
const TYPE_BYTES = 1
/** Of a statement by itself, and of one with values (PostgreSQL's documentation, "Message Formats"). */
const QUERY = 'Q'.charCodeAt(0)
const EXECUTE = 'E'.charCodeAt(0)

export async function countStatements(target: string): Promise<StatementCounter> {
  const to = new URL(target)
  let [statements, roundTrips] = [0, 0]

  function accept(client: Socket): void {
    const server = connect(Number(to.port), to.hostname)
    const countIn = messageCounter()
    let isAnswered = true
    client.on('data', (chunk: Buffer) => {
      const count = countIn(chunk)
      statements += count
      if (count > 0 && isAnswered) {
        roundTrips++
        isAnswered = false
      }
      server.write(chunk)
    })
    server.on('data', (chunk: Buffer) => {
      isAnswered = true
      client.write(chunk)
    })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  }

  const listener = createServer(accept)
  const { promise, resolve } = Promise.withResolvers<void>()
  listener.listen(0, '127.0.0.1', resolve)
  await promise
  const address = listener.address()
  const url = new URL(target)
  if (address !== null && typeof address === 'object') url.port = String(address.port)
  return {
    url: url.href,
    asked: () => ({ statements, roundTrips }),
    [Symbol.dispose]: () => void listener.close(),
  }
}

/** How many statements begin in each chunk of what a client sends. */
function messageCounter(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0)
  let typeBytes = 0
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    let count = 0
    for (;;) {
      if (rest.length < typeBytes + LENGTH_BYTES) return count
      const end = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < end) return count
      if (typeBytes > 0 && (rest[0] === QUERY || rest[0] === EXECUTE)) count++
      rest = rest.subarray(end)
      typeBytes = TYPE_BYTES
    }
  }
}
