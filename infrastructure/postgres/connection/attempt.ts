import { createConnection, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { PostgresHost } from '../../config/postgres-url.ts'

/** One way to a server. */
export type Route = PostgresHost & {
  /** Null for a connection in the clear. */
  readonly tls: ConnectionOptions | null
  /** Whether a server that has no TLS is spoken to in the clear. */
  readonly isTlsOptional: boolean
}

/** How far an attempt got that failed. */
export type Reached = 'nothing' | 'server' | 'server over TLS'

export type AttemptEvents = {
  /** The stream that is worked on: destroying it gives the attempt up. It changes once TLS begins. */
  onStream(stream: Socket): void
  /** The server waits for the first message of its protocol. */
  onOpen(stream: Socket): void
  onFailed(error: unknown, reached: Reached): void
  /** Somebody has destroyed the stream. */
  onGivenUp(): void
}

/** An attempt under way, until it fails, is given up, or is let go of. */
export type Attempt = {
  isOver(): boolean
  fail(error: unknown): void
  /** From now on it concerns itself with nothing that happens to the stream. */
  letGo(): void
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html: length and code of an SSLRequest. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
/** A line that was cut is noticed long before the system's own two hours. */
const KEEP_ALIVE_MS = 10_000

/** Connects, and agrees on TLS with the server. `withinMs` bounds it until it is let go of. */
export function attempt(
  route: Route,
  { withinMs, events }: { withinMs: number | null; events: AttemptEvents },
): Attempt {
  let isOver = false
  let reached: Reached = 'nothing'
  const socket = createConnection(
    isFolder(route.host)
      ? { path: `${route.host}/.s.PGSQL.${route.port}` }
      : { host: route.host, port: route.port },
  )
  let stream: Socket = socket
  const timer =
    withinMs === null ? undefined : setTimeout(() => fail(new Error('timed out')), withinMs)

  function end(): boolean {
    const wasOver = isOver
    isOver = true
    clearTimeout(timer)
    return !wasOver
  }

  function fail(error: unknown): void {
    if (!end()) return
    stream.destroy()
    socket.destroy()
    events.onFailed(error, reached)
  }

  function watch(watched: Socket): void {
    watched.on('error', fail)
    watched.on('end', () => fail(new Error('the server closed the connection')))
    watched.on('close', () => {
      if (end()) events.onGivenUp()
    })
    events.onStream(watched)
  }

  function begin(): void {
    reached = 'server'
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    const { tls } = route
    if (tls === null) {
      events.onOpen(socket)
      return
    }
    socket.once('data', (answer: Buffer) => judge(answer.toString('latin1'), tls))
    socket.write(SSL_REQUEST)
  }

  /** Whatever came behind the one letter was not encrypted, and would count as if it were. */
  function judge(answer: string, tls: ConnectionOptions): void {
    if (isOver) return
    if (answer === 'S') secure(tls)
    else if (answer === 'N' && route.isTlsOptional) events.onOpen(socket)
    else fail(new Error('the server offers no TLS'))
  }

  function secure(tls: ConnectionOptions): void {
    reached = 'server over TLS'
    const secured = connectTls({ ...tls, socket })
    stream = secured
    watch(secured)
    secured.once('secureConnect', () => {
      if (!isOver) events.onOpen(secured)
    })
  }

  watch(socket)
  socket.once('connect', begin)
  return { isOver: () => isOver, fail, letGo: () => void end() }
}

export function isFolder(host: string): boolean {
  return host.startsWith('/')
}
