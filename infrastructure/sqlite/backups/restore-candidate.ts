import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckedBackup } from '../../../application/upkeep/reports.ts'
import { copyIntoNewFile, makeDurable } from '../../files/durable-files.ts'
import { refuseLackOfRoom } from '../backup-copy.ts'
import { LOG_SUFFIXES, resolveDatabasePath } from '../files.ts'
import { assertIntegrity } from '../integrity.ts'
import { findPending, MIGRATIONS, readHistory, schemaVersion } from '../migrations.ts'
import { BUSY_TIMEOUT_MS, isDamage } from '../storage-outage.ts'
import type { WorkFolder } from '../work-folder.ts'
import { checksumPath, readChecksum } from './backup-checksum.ts'

/** A copy of a backup that can take the place of the database: one file, checked, without a log. */
export type Candidate = CheckedBackup & { readonly path: string }

/** Throws unless there is a file to restore. */
export function refuseNoFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) throw new Error(`there is no file ${file}`)
  if (!stats.isFile()) throw new Error(`${file} is not a file`)
}

export type CandidateStep = 'copying' | 'checking'

/**
 * Copies the backup into a folder, with the log that lies beside it where there is one, and checks it: its checksum,
 * every page, and that this executable knows its migrations. Throws with the reason where any of it fails.
 */
export function copyCandidate(
  file: string,
  { path: folder }: WorkFolder,
  onStep: (step: CandidateStep) => void,
): Candidate {
  const path = join(folder, 'candidate.db')
  onStep('copying')
  const source = resolveDatabasePath(file)
  const logs = LOG_SUFFIXES.filter((suffix) => existsSync(source + suffix))
  const bytes = ['', ...logs].map((suffix) => statSync(source + suffix).size)
  refuseLackOfRoom(
    folder,
    bytes.reduce((sum, size) => sum + size, 0),
  )
  const sha256 = readChecksum(file)
  // A backup with a checksum is complete in itself. A log beside it came there later.
  if (sha256 !== null) {
    if (copyIntoNewFile(source, path) !== sha256) {
      throw new Error(`${file} is damaged: it is not what ${checksumPath(file)} says`)
    }
  } else if (existsSync(`${source}-shm`)) translateDamage(file, () => copyInUse(source, path))
  else for (const suffix of ['', ...logs]) copyIntoNewFile(source + suffix, path + suffix)

  onStep('checking')
  const version = translateDamage(file, () => checkCandidate(path, file))
  makeDurable(path)
  return { path, bytes: statSync(path).size, hadChecksum: sha256 !== null, version }
}

/**
 * For a database that another process may be writing to: copies its state at one moment. Its file and its log, copied
 * one after the other, would be from two moments, and no check notices that.
 */
function copyInUse(source: string, path: string): void {
  const client = new Database(source, { readonly: true })
  try {
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    client.prepare('VACUUM INTO ?').run(path)
  } finally {
    client.close(true)
  }
}

function checkCandidate(path: string, file: string): string {
  const client = new Database(path, { readwrite: true, create: false })
  try {
    if (readHistory(client).length === 0) {
      throw new Error(`${file} is not a backup of Alibi: it has no migrations on record`)
    }
    findPending(client, MIGRATIONS, file)
    assertIntegrity(client, file)
    // Folds in the log, so that one file is all there is to move.
    client.run('PRAGMA journal_mode = DELETE')
    return schemaVersion(client)
  } finally {
    client.close(true)
  }
}

function translateDamage<Result>(file: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error
    if (!isDamage(error)) throw new Error(`${file} could not be checked`, { cause: error })
    const what = error.code === 'SQLITE_NOTADB' ? 'is not an SQLite database' : 'is damaged'
    throw new Error(`${file} ${what}`, { cause: error })
  }
}
