import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { Connection } from 'pg'
import { type Attempt, attempt, type Reached, type Route } from './attempt.ts'
import type { LoginCheck } from './channel-binding.ts'

/** What the driver's connection has beside what its types tell. The driver's client uses all of it. */
type DriverConnection = EventEmitter & {
  stream: Socket
  /** Whether the client has said that it ends. */
  _ending: boolean
  _connecting: boolean
  connect(): void
  attachListeners(stream: Socket): void
}

export type Routes = {
  /** In the order in which they are tried. Throws where the settings cannot be followed. */
  list(): readonly Route[]
  /** How long each of them is waited for; null where only the caller bounds it. */
  readonly eachMs: number | null
  /** Whether a server that takes no writes is left for the next one. */
  readonly mustTakeWrites: boolean
  /** Makes what judges a log-in. */
  readonly loginCheck: () => LoginCheck
  /** Called with the one that was taken. */
  onTaken(route: Route): void
}

// Why: docs/decisions.md#the-driver-gets-a-connection-that-is-agreed-on
/**
 * A connection for the driver's client that finds its own way to the server: along several routes, with or without TLS.
 * A route counts as failed until the server says that it is ready for statements. The error of the last failure that
 * tells most is the client's.
 */
export function negotiatedConnection(routes: Routes): Connection {
  const driver = new Connection()
  const connection = driver as unknown as DriverConnection
  connection.connect = () => {
    connection._connecting = true
    try {
      follow(connection, routes)
    } catch (error) {
      queueMicrotask(() => {
        connection.emit('error', error)
        connection.emit('end')
      })
    }
  }
  return driver
}

function follow(connection: DriverConnection, routes: Routes): void {
  let left = routes.list()
  const several = new Set(left.map(nameOf)).size > 1
  const failures: Failure[] = []
  const emit = connection.emit.bind(connection)

  function tryNext(): void {
    const [route, ...others] = left
    left = others
    if (route && !connection._ending) tryRoute(route)
    else fail()
  }

  function fail(): void {
    Reflect.deleteProperty(connection, 'emit')
    emit('error', mostTelling(failures, several))
    emit('end')
  }

  function tryRoute(route: Route): void {
    const current = attempt(route, {
      withinMs: routes.eachMs,
      events: {
        onStream: (stream) => {
          connection.stream = stream
        },
        onOpen(stream) {
          intercept(current, route)
          connection.attachListeners(stream)
          emit('connect')
        },
        onFailed(error, reached) {
          failures.push({ route, error })
          left = left.filter((other) => isWorthTrying(other, { route, reached }))
          tryNext()
        },
        onGivenUp: () => void emit('end'),
      },
    })
  }

  /** Until the server is ready, the client does not learn what may yet be mended by another route. */
  function intercept(current: Attempt, route: Route): void {
    const isAllowed = routes.loginCheck()
    connection.emit = (name: string, message?: unknown) => {
      // The rest of what was read at once from a server that is given up.
      if (current.isOver()) return true
      // The client itself does not go on, such as with a server that does not prove to know the password.
      if (name === 'error') left = []
      if (name === 'error' || name === 'errorMessage') {
        current.fail(message)
        return true
      }
      if (!isAllowed(name, message)) {
        current.fail(new Error('the server does not bind the log-in to its certificate'))
        return true
      }
      if (name === 'parameterStatus' && routes.mustTakeWrites && refusesWrites(message)) {
        current.fail(new Error('the server takes no writes'))
        return true
      }
      if (name === 'readyForQuery') settle(current, route)
      return emit(name, message)
    }
  }

  function settle(current: Attempt, route: Route): void {
    current.letGo()
    Reflect.deleteProperty(connection, 'emit')
    const { stream } = connection
    stream.on('error', (error: Error) => {
      if (!connection._ending || !isReset(error)) connection.emit('error', error)
    })
    stream.on('close', () => connection.emit('end'))
    taken.set(connection, addressed(route, stream))
    routes.onTaken(route)
  }

  tryNext()
}

const taken = new WeakMap<object, Route>()

/** The way that a connection has taken to the very server it leads to; null while there is none. */
export function routeOf(connection: object): Route | null {
  return taken.get(connection) ?? null
}

/** A name may lead to another server by now. */
function addressed(route: Route, { remoteAddress }: Socket): Route {
  return remoteAddress === undefined ? route : { ...route, host: remoteAddress }
}

type Failure = { readonly route: Route; readonly error: unknown }

const nameOf = ({ host, port }: Route) => `${host}:${port}`

/** As libpq does it: a server that was not reached is not asked again, nor one in the way that it has refused. */
function isWorthTrying(
  other: Route,
  { route, reached }: { route: Route; reached: Reached },
): boolean {
  if (nameOf(other) !== nameOf(route)) return true
  return reached !== 'nothing' && (other.tls !== null) !== (reached === 'server over TLS')
}

/** What a server itself says tells more than that another one was not reached. */
function mostTelling(failures: readonly Failure[], several: boolean): unknown {
  const { error } = failures.find(({ error }) => isFromServer(error)) ?? failures[0] ?? {}
  if (!several) return error
  const lines = failures.map(({ route, error }) => `${nameOf(route)}: ${messageOf(error)}`)
  return new Error(`no server can be used (${lines.join('; ')})`, { cause: error })
}

function isFromServer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** What servers from version 14 on report of themselves as soon as somebody has logged in. */
function refusesWrites(message: unknown): boolean {
  const { parameterName, parameterValue } = message as Record<string, unknown>
  return (
    (parameterName === 'in_hot_standby' || parameterName === 'default_transaction_read_only') &&
    parameterValue === 'on'
  )
}

/** What an end that was asked for may look like. */
function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}
