import type { Telemetry } from '../../../application/telemetry.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { writeWatch } from '../../database/write-watch.ts'
import { randomIndex } from '../../secrets/random.ts'
import type { Connection, Queries } from './connection.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { connectionPool, type PoolState } from './connection-pool.ts'
import type { Lock } from './locks.ts'
import { conflictOf } from './outage.ts'
import type { TimeBudget } from './time-budget.ts'
import { turns } from './turns.ts'

export type { Queries } from './connection.ts'

/** A transaction under way, with its locks. Each statement sees what was committed before it began. */
export type Transaction = {
  readonly queries: Queries
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Sends a write without waiting for it. Where it fails, so does the transaction. */
  store(statement: PromiseLike<unknown>): void
  /** Takes more locks. All of them come after those that it has: see locks.ts. */
  lock(locks: readonly Lock[]): void
}

/**
 * The only ways to use the database. All of them reject with `Unavailable('storage')` where it fails, hangs or refuses,
 * and once the time is up: see time-budget.ts. No error has a value that was bound to a statement.
 */
export type PostgresDatabase = {
  /** One statement by itself. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** As `query`, by drizzle. */
  read<Result>(work: (queries: Queries) => PromiseLike<Result>): Promise<Result>
  /** For several statements that have to see one moment. Those that `work` does not wait for travel together. */
  readTogether<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>
  /**
   * Holds the locks from the start. Durable once it resolves; if `work` throws, nothing of it is stored. `work` runs
   * again where another transaction was in the way.
   */
  write<Result>(
    locks: readonly Lock[],
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result>
  /** Whether the last `write` to end was failed by the database. */
  lastWriteFailed(): boolean
  poolState(): PoolState
  /** What waits for a connection is rejected; what has one may end. */
  close(): void
}

export type PostgresOptions = {
  readonly connection: ConnectionOptions
  readonly poolMax: number
  readonly timeoutMs: number
  readonly budget: TimeBudget
  readonly telemetry: Telemetry
  readonly monotonicMs: () => number
}

/** More than enough: the locks leave few ways to be in each other's way. */
const TRIES_MAX = 10
const RETRY_MAX_MS = 50

const LOCK = 'SELECT FROM locks WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE'

const IN_TRANSACTION = { limitedBy: 'transaction' } as const
const BY_ITSELF = { limitedBy: 'cancel' } as const

/** Connects on first use. */
export function openPostgres({
  connection,
  poolMax,
  timeoutMs,
  budget,
  telemetry,
  monotonicMs,
}: PostgresOptions): PostgresDatabase {
  const pool = connectionPool(connection, {
    max: poolMax,
    timeoutMs,
    budget,
    telemetry,
    monotonicMs,
  })
  const { take } = turns()
  const { watch, lastWriteFailed } = writeWatch()
  // A process that is frozen or cut off in the middle of a transaction must not keep its locks.
  const limits = `SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${timeoutMs}`
  // Where an operator or a provider has made the database read-only, that holds: READ WRITE would override it.
  const beginWriting = `BEGIN ISOLATION LEVEL READ COMMITTED; ${limits}`
  const beginReading = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limits}`

  async function attempt<Result>(
    connection: Connection,
    locks: readonly Lock[],
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const sent: Promise<unknown>[] = []
    function store(statement: PromiseLike<unknown>): void {
      // At once: drizzle sends a statement when it is asked for its result.
      const stored = new Promise((resolve, reject) => void statement.then(resolve, reject))
      stored.catch(() => {})
      sent.push(stored)
    }
    const lock = (more: readonly Lock[]) => {
      if (more.length > 0) store(connection.send(LOCK, [more]))
    }

    store(connection.send(beginWriting))
    lock(locks)
    try {
      const result = await work({
        queries: connection.queries,
        query: async (text, values) => (await connection.send(text, values)).rows,
        store,
        lock,
      })
      const committing = connection.send('COMMIT')
      await Promise.all([...sent, committing])
      const { command } = await committing
      if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
      return result
    } catch (error) {
      await rollBack(connection)
      throw error
    }
  }

  async function look<Result>(
    connection: Connection,
    work: (queries: Queries) => Promise<Result>,
  ): Promise<Result> {
    const begun = connection.send(beginReading)
    begun.catch(() => {})
    try {
      const result = await work(connection.queries)
      await Promise.all([begun, connection.send('COMMIT')])
      return result
    } catch (error) {
      await rollBack(connection)
      throw error
    }
  }

  async function inTurn<Result>(
    locks: readonly Lock[],
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const time = budget.begin()
    const transact = () =>
      pool.use((connection) => attempt(connection, locks, work), IN_TRANSACTION)
    try {
      return await take(locks, time, () => retried(transact))
    } finally {
      time.end()
    }
  }

  /** Nothing is stored of what failed in this way. A statement by itself may be told so, too, by a role's settings. */
  async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        const reason = conflictOf(error)
        if (reason === null) throw error
        if (tries >= TRIES_MAX) throw new Unavailable('storage', { cause: error })
        telemetry.record({ kind: 'transaction_retried', reason })
        await Bun.sleep(randomIndex(RETRY_MAX_MS))
      }
    }
  }

  const use = <Result>(work: () => Promise<Result>) => budget.forUse(() => retried(work))

  return {
    query: (text, values) =>
      use(() =>
        pool.use(async (connection) => (await connection.send(text, values)).rows, BY_ITSELF),
      ),
    read: (work) => use(() => pool.use(async ({ queries }) => work(queries), BY_ITSELF)),
    readTogether: (work) =>
      use(() => pool.use((connection) => look(connection, work), IN_TRANSACTION)),
    write: (locks, work) => watch(budget.forUse(() => inTurn(locks, work))),
    lastWriteFailed,
    poolState: pool.state,
    close: pool.close,
  }
}

/** Ends what is left of a transaction. Where that fails, the connection is lost, as its failure says. */
async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.send('ROLLBACK')
  } catch {
    // What failed first is what the caller learns.
  }
}
