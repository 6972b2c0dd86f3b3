import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { HOUR_MS } from '../../../domain/duration.ts'
import { PATIENCE_MS } from '../patience.ts'
import type { Production } from './production.ts'
import { until } from './until.ts'

// What the executable has on disk, seen by another process.

type Row = Readonly<Record<string, unknown>>
type Place = Pick<Production, 'databasePath' | 'folder'>

/** A connection that waits while a service writes, which it does by itself, too. */
function connect({ databasePath }: Place, options?: { readonly: true }): Database {
  const database = new Database(databasePath, options)
  database.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
  return database
}

/** Reads beside a service that may be running. */
export function stored(place: Place, sql: string, ...values: string[]): readonly Row[] {
  const database = connect(place, { readonly: true })
  try {
    return database.query<Row, string[]>(sql).all(...values)
  } finally {
    database.close()
  }
}

/** Writes beside a service that may be running. */
export function change(place: Place, sql: string, ...values: (string | number)[]): void {
  const database = connect(place)
  database.run(sql, values)
  database.close()
}

/** Keeps others from writing until it is disposed of, like a process in the middle of a write. */
export function holdDatabase(place: Place): Disposable {
  const database = connect(place)
  database.run('BEGIN IMMEDIATE')
  return {
    [Symbol.dispose]() {
      database.run('ROLLBACK')
      database.close()
    },
  }
}

/**
 * Lets the time pass after which what waits in the outbox is tried again: half a minute at first, which no test can
 * wait for. The moments are moved instead, as if the clock had gone on.
 */
export function letOutboxTimePass(place: Place): void {
  change(place, "UPDATE outbox SET due_at = 0 WHERE state = 'waiting'")
}

/** Lets a day pass since the last sweeps, so that all of them are due at the next start. */
export function letSweepTimePass(place: Place): void {
  change(place, 'UPDATE sweeps SET last_run_at = last_run_at - 86400000')
}

/** Resolves when the service has read all of the provider's records since `start`: the last sweep is on record. */
export function swept(place: Place, start = Date.now() - HOUR_MS): Promise<void> {
  return until('the sweeps are through', () => {
    const [last] = stored(place, "SELECT last_run_at FROM sweeps WHERE name = 'disputes'")
    return Number(last?.['last_run_at'] ?? 0) >= start
  })
}

function countWaiting(place: Place): number {
  return stored(place, "SELECT key FROM outbox WHERE state = 'waiting'").length
}

export function carriedOut(place: Place): Promise<void> {
  return until('nothing waits in the outbox', () => countWaiting(place) === 0)
}

export type KilledDatabase = {
  /** What SQLite finds wrong with it. */
  readonly damage: readonly unknown[]
  read(sql: string, ...values: string[]): readonly Row[]
}

/**
 * The database as a kill has left it. Looks at a copy: to open the files themselves would do already what the next
 * start of the executable has to be able to do by itself.
 */
export function inspectKilled<Result>(
  { databasePath, folder }: Place,
  look: (killed: KilledDatabase) => Result,
): Result {
  const copies = mkdtempSync(join(folder, 'killed-'))
  for (const suffix of ['', '-wal']) {
    const file = databasePath + suffix
    if (existsSync(file)) copyFileSync(file, join(copies, `copy.db${suffix}`))
  }
  const database = new Database(join(copies, 'copy.db'))
  try {
    const integrity = database.query('PRAGMA integrity_check').values().flat()
    const orphans = database.query('PRAGMA foreign_key_check').values()
    return look({
      damage: [...integrity.filter((line) => line !== 'ok'), ...orphans],
      read: (sql, ...values) => database.query<Row, string[]>(sql).all(...values),
    })
  } finally {
    database.close()
    rmSync(copies, { recursive: true })
  }
}
