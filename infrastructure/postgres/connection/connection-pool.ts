import { Pool, type PoolClient, type PoolConfig } from 'pg'
import type { Telemetry } from '../../../application/telemetry.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { type Connection, connectionOf } from './connection.ts'
import { isConnectionLost, statementError, withoutBoundValues } from './outage.ts'
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
   * time is up, and with whatever else the work throws.
   */
  use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>
  state(): PoolState
  close(): void
}

/** Long enough that a quiet service does not connect anew for each request. */
const IDLE_MAX_MS = 5 * 60_000
/** So that connections move on to servers that a name or a load balancer leads to by now. */
const LIFETIME_MAX_SECONDS = 30 * 60

export function connectionPool(
  connection: PoolConfig,
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
    // Types of the driver do not know it yet.
    ...{ pipeline: true },
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: IDLE_MAX_MS,
    maxLifetimeSeconds: LIFETIME_MAX_SECONDS,
  })
  const connections = new WeakMap<PoolClient, Connection>()
  const idle = new Set<PoolClient>()
  let isOpen = true
  // An idle connection that ends is replaced when one is needed. Without a listener it would end the process.
  pool.on('error', () => {})
  pool.on('acquire', (client) => void idle.delete(client))
  pool.on('release', (_, client) => void idle.add(client))
  pool.on('remove', (client) => void idle.delete(client))

  /** A caller that gives up does not keep the connection that comes later. */
  async function connect(time: TimedUse): Promise<PoolClient> {
    if (!isOpen) throw new Unavailable('storage', { cause: new Error('the database is closed') })
    const askedAtMs = monotonicMs()
    const recordWait = (outcome: 'got' | 'gave_up') =>
      telemetry.record({ kind: 'connection_waited', ms: monotonicMs() - askedAtMs, outcome })
    const connecting = pool.connect()
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
   * One connection was silent for so long that the others have to be doubted: each may be the end of a line that was
   * cut, and would cost another caller all its time.
   */
  function cutOff(client: PoolClient): void {
    for (const one of [client, ...idle]) destroySocket(one)
  }

  return {
    async use(work) {
      const time = budget.begin()
      try {
        const client = await connect(time)
        const connection = connections.get(client) ?? connectionOf(client)
        connections.set(client, connection)
        connection.takeFailure()
        const timer = setTimeout(() => cutOff(client), time.leftMs())
        let isLost = false
        try {
          return await work(connection)
        } catch (thrown) {
          const error = withoutBoundValues(thrown)
          const failure = connection.takeFailure()
          isLost = isConnectionLost(failure ?? error)
          throw failure ?? error
        } finally {
          clearTimeout(timer)
          if (isLost) {
            telemetry.record({ kind: 'connection_failed' })
            destroySocket(client)
          }
          client.release(isLost)
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
      pool.end().catch((error) => statementError(error))
    },
  }
}

/** The driver's own end waits for what is under way, which may never come. */
function destroySocket(client: PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}
