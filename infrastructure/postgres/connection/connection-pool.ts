import { Pool, type PoolClient } from 'pg'
import type { Telemetry } from '../../../application/telemetry.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { requestCancel } from './cancel-request.ts'
import { type Connection, connectionOf } from './connection.ts'
import { type ConnectionOptions, withFallback } from './connection-options.ts'
import { isConnectionLost, withoutBoundValues } from './outage.ts'
import type { TimeBudget, TimedUse } from './time-budget.ts'

/** Connections by what they do, and how many callers wait for one. */
export type PoolState = {
  readonly open: number
  readonly idle: number
  readonly waiting: number
  readonly max: number
}

export type ConnectionPool = {
  /**
   * Does the work on a connection of its own. Rejects with `Unavailable('storage')` where the database fails, or the
   * time is up, and with whatever else the work throws. A statement that takes too long is ended on the server by the
   * transaction that it is in, else by a request to cancel it.
   */
  use<Result>(
    work: (connection: Connection) => Promise<Result>,
    options: { limitedBy: 'transaction' | 'cancel' },
  ): Promise<Result>
  state(): PoolState
  close(): void
}

/** Long enough that a quiet service does not connect anew for each request. */
const IDLE_MAX_MS = 5 * 60_000
/** So that connections move on to servers that a name or a load balancer leads to by now. */
const LIFETIME_MAX_SECONDS = 30 * 60
/** A statement seldom takes longer, but on a line that was cut. */
const SILENCE_MAX_MS = 1000
/** For so long a server may take to say that it has ended a statement whose time is up. Then it counts as silent. */
const GRACE_MS = 500

// Why: docs/decisions.md#a-statement-that-takes-too-long-ends-on-the-server-too
export function connectionPool(
  connection: ConnectionOptions,
  {
    max,
    timeoutMs,
    budget,
    telemetry,
    monotonicMs,
  }: {
    max: number
    timeoutMs: number
    budget: TimeBudget
    telemetry: Telemetry
    monotonicMs: () => number
  },
): ConnectionPool {
  const pool = new Pool({
    ...connection,
    max,
    pipeline: true,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: IDLE_MAX_MS,
    maxLifetimeSeconds: LIFETIME_MAX_SECONDS,
  })
  const connections = new WeakMap<PoolClient, Connection>()
  const idle = new Set<PoolClient>()
  const heardAtMs = new WeakMap<PoolClient, number>()
  const doubted = new WeakSet<PoolClient>()
  let isOpen = true
  // A connection that ends is replaced when one is needed, and fails what is under way on it. Without a listener, for
  // idle ones and for those in use, it would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  pool.on('acquire', (client) => void idle.delete(client))
  pool.on('release', (_, client) => void idle.add(client))
  pool.on('remove', (client) => void idle.delete(client))

  /** What has been doubted stays in the pool until its end has come through to it. */
  async function connect(time: TimedUse): Promise<PoolClient> {
    let client = await connectAny(time)
    while (doubted.has(client)) {
      client.release(true)
      client = await connectAny(time)
    }
    return client
  }

  /** A caller that gives up does not keep the connection that comes later. */
  async function connectAny(time: TimedUse): Promise<PoolClient> {
    if (!isOpen) throw new Unavailable('storage', { cause: new Error('the database is closed') })
    if (time.leftMs() === 0)
      throw new Unavailable('storage', { cause: new Error('no time is left') })
    const askedAtMs = monotonicMs()
    const recordWait = (outcome: 'got' | 'gave_up') =>
      telemetry.record({ kind: 'connection_waited', ms: monotonicMs() - askedAtMs, outcome })
    const connecting = withFallback(connection, () => pool.connect())
    const { promise: tooLate, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error('no connection in time')), time.leftMs())
    try {
      const client = await Promise.race([connecting, tooLate])
      recordWait('got')
      return client
    } catch (error) {
      recordWait('gave_up')
      connecting.then(
        (client) => client.release(),
        () => {},
      )
      throw new Unavailable('storage', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Others that were not heard from either may be the ends of lines that were cut, too, and each would cost another
   * caller all its time.
   */
  function doubtIdle(sinceMs: number): void {
    for (const client of idle) {
      if ((heardAtMs.get(client) ?? sinceMs) >= sinceMs) continue
      doubted.add(client)
      destroySocket(client)
    }
  }

  /**
   * Has the work come to its end soon after its time is up, whatever the server does. Says whether it was cancelled,
   * after which whatever follows on the connection might be ended instead.
   */
  function limit(client: PoolClient, time: TimedUse, cancels: boolean) {
    const sinceMs = monotonicMs()
    let isCancelled = false
    function doubt(): void {
      doubtIdle(sinceMs)
      timer = setTimeout(end, time.leftMs())
    }
    function end(): void {
      isCancelled = cancels
      if (cancels) requestCancel(client, { withinMs: GRACE_MS })
      timer = setTimeout(() => destroySocket(client), GRACE_MS)
    }
    let timer = setTimeout(doubt, Math.min(time.leftMs(), SILENCE_MAX_MS))
    return {
      sinceMs,
      isCancelled: () => isCancelled,
      lift: () => clearTimeout(timer),
    }
  }

  return {
    async use(work, { limitedBy }) {
      const time = budget.begin()
      try {
        const client = await connect(time)
        const connection = connections.get(client) ?? connectionOf(client)
        connections.set(client, connection)
        connection.takeFailure()
        const { sinceMs, isCancelled, lift } = limit(client, time, limitedBy === 'cancel')
        let isLost = false
        try {
          const result = await work(connection)
          if (isCancelled()) throw new Unavailable('storage', { cause: new Error('too late') })
          return result
        } catch (thrown) {
          const error = withoutBoundValues(thrown)
          const failure = connection.takeFailure()
          isLost = isConnectionLost(failure ?? error)
          throw failure ?? error
        } finally {
          lift()
          if (isLost || isCancelled()) destroySocket(client)
          if (isLost) {
            telemetry.record({ kind: 'connection_failed' })
            doubtIdle(sinceMs)
          } else {
            heardAtMs.set(client, monotonicMs())
          }
          client.release(isLost || isCancelled())
        }
      } finally {
        time.end()
      }
    },
    state: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max,
    }),
    close() {
      if (!isOpen) return
      isOpen = false
      pool.end().catch(() => {})
    },
  }
}

/** The driver's own end waits for what is under way, which may never come. */
function destroySocket(client: PoolClient): void {
  client.connection.stream.destroy()
}
