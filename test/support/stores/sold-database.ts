import { Database } from 'bun:sqlite'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { migrateSqlite } from '../../../infrastructure/sqlite/database.ts'
import { applyMigrations, MIGRATIONS } from '../../../infrastructure/sqlite/migrations.ts'
import { PATIENCE_MS } from '../patience.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A database of Alibi in a folder of its own, in which so many have logged out. */
export function soldDatabase(rows = 3): { folder: string; path: string } {
  const folder = temporaryFolder()
  const path = join(folder, 'alibi.db')
  migrateSqlite(path)
  addRows(path, rows)
  return { folder, path }
}

/** One as an executable has left it that knew only the first so many migrations. */
export function oldDatabase(migrations = 1): { folder: string; path: string } {
  const folder = temporaryFolder()
  const path = join(folder, 'alibi.db')
  const client = new Database(path)
  client.run('PRAGMA journal_mode = WAL')
  applyMigrations(client, MIGRATIONS.slice(0, migrations))
  client.run("INSERT INTO log_outs VALUES ('old@example.com', 1)")
  client.close(true)
  return { folder, path }
}

export function addRows(path: string, rows: number): void {
  const client = new Database(path)
  // A service that runs writes by itself, too.
  client.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
  // Of the first epoch, so that no token is void once they are pruned.
  const insert = client.prepare('INSERT INTO log_outs VALUES (?, 0)')
  client.transaction(() => {
    for (let row = 0; row < rows; row++) insert.run(`${Bun.randomUUIDv7()}@example.com`)
  })()
  client.close(true)
}

/** The rows as a new reader sees them; throws where SQLite finds anything wrong. */
export function countRows(path: string): number {
  const client = new Database(path)
  try {
    const [[integrity] = []] = client.prepare('PRAGMA integrity_check').values()
    if (integrity !== 'ok') throw new Error(`${path}: ${integrity}`)
    return Number(client.prepare('SELECT count(*) FROM log_outs').values()[0]?.[0])
  } finally {
    client.close(true)
  }
}

/** The bytes of a file. */
export function bytesOf(path: string): string {
  return readFileSync(path, 'latin1')
}

export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

/** What is thrown, as one line with its causes. */
export function reasonOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    const reasons = []
    for (let cause = error; cause instanceof Error; cause = cause.cause) reasons.push(cause.message)
    return reasons.join(': ')
  }
  throw new Error('nothing was thrown')
}
