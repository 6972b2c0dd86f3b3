import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { progress } from '../report/progress.ts'
import { fillWithBuyers } from './buyers.ts'

/**
 * The path of a database in which so many addresses have paid. It is filled once for each schema and kept. Do not write
 * to it: `copyDatabase` gives one to write to. One service at a time can have it.
 */
export function filledDatabase(
  executable: string,
  { addresses, folder }: { addresses: number; folder: string },
): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const empty = join(folder, `empty-${process.pid}.db`)
  migrate(executable, empty)
  const path = join(folder, `${addresses}-${schemaOf(empty)}.db`)
  if (existsSync(path)) {
    rmSync(empty)
    return path
  }
  const step = progress(`filling a database with ${addresses} addresses`)
  fillWithBuyers(empty, addresses, step)
  renameSync(empty, path)
  return path
}

/** A copy in a folder of its own, all of it on the disk. */
export function copyDatabase(from: string, folder: string): string {
  const path = join(folder, 'alibi.db')
  copyFileSync(from, path)
  // Otherwise the disk would be busy with it while commits are measured.
  const copy = openSync(path, 'r+')
  fsyncSync(copy)
  closeSync(copy)
  return path
}

function migrate(executable: string, path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  const env = { DATABASE_URL: `sqlite:${path}` }
  const { exitCode, stderr } = Bun.spawnSync([executable, 'migrate'], { env })
  if (exitCode !== 0) throw new Error(`no database: ${stderr}`)
}

/** A name for the tables and indexes that the executable makes. */
function schemaOf(path: string): string {
  const client = new Database(path)
  const rows = client.query('SELECT sql FROM sqlite_schema ORDER BY name').values()
  client.close(true)
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 12)
}
