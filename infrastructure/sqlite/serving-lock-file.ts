import { Database } from 'bun:sqlite'
import { closeSync, fstatSync, lstatSync, openSync, rmSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { hasCode } from '../files/node-errors.ts'
import { giveToOwnerOf } from './files.ts'
import { isBusy } from './storage-outage.ts'

/** Held by the one process that serves a database. It ends with the process, however that ends. */
export type ServingLock = {
  /** False once another file has taken the place of the locked one. */
  isInPlace(): boolean
  /** Comes after the database is closed. Never throws. */
  release(): void
}

/** Of the name of the locked file, which lies beside the database. */
const SUFFIX = '-serving'

/**
 * SQLite's lock on an empty file beside a database, for systems on which flock(2) cannot be called. Null where another
 * process holds it. Throws where the file cannot be made or locked.
 */
export function lockFileBeside(databasePath: string): ServingLock | null {
  const path = databasePath + SUFFIX
  for (;;) {
    const file = makeFile(path) ?? find(path)
    if (!file) continue
    if (!file.isFile()) throw new Error(`${path} is not a file: remove it`)
    const client = lock(path)
    if (client === 'busy') return null
    if (client === 'gone') continue
    // Otherwise the process that held it has taken the file away as it ended, and another one can make it anew.
    if (find(path)?.ino === file.ino) {
      return { isInPlace: () => true, release: () => release(client, path) }
    }
    client.close(true)
  }
}

/** Null where there is one. To open that and close it would drop the locks that this process has on it. */
function makeFile(path: string): Stats | null {
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      giveToOwnerOf(dirname(path), file)
      return fstatSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return null
    throw error
  }
}

function lock(path: string): Database | 'busy' | 'gone' {
  let client: Database | null = null
  try {
    client = new Database(path, { readwrite: true, create: false })
    client.run('PRAGMA busy_timeout = 0')
    client.run('BEGIN EXCLUSIVE')
    return client
  } catch (error) {
    client?.close(true)
    if (isBusy(error)) return 'busy'
    if (!find(path)) return 'gone'
    throw new Error(`${path} cannot be locked`, { cause: error })
  }
}

/** The name goes before the lock: whoever gets the lock of a file without a name tries again. */
function release(client: Database, path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // A disk that fails, for one. The file may stay: it means nothing without a lock on it.
  }
  client.close(true)
}

function find(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
