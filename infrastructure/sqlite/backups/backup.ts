import { Database } from 'bun:sqlite'
import { lstatSync, rmSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { BackupReport } from '../../../application/upkeep/reports.ts'
import { makeDurable, publishNew, writeNewFile } from '../../files/durable-files.ts'
import { hasCode } from '../../files/node-errors.ts'
import { type CheckedCopy, type CopyStep, makeCheckedCopy } from '../backup-copy.ts'
import { resolveDatabasePath, SIDE_SUFFIXES } from '../files.ts'
import { readHistory } from '../migrations.ts'
import { BUSY_TIMEOUT_MS } from '../storage-outage.ts'
import { makeWorkFolder, type WorkFolder } from '../work-folder.ts'
import { checksumLine, checksumPath } from './backup-checksum.ts'

export type BackupOrder = {
  readonly databasePath: string
  readonly file: string
  readonly onStep?: (step: CopyStep) => void
}

/**
 * Writes a copy of the database as it is at one moment to a new file, while other processes use it, and its checksum
 * into another one. Both are there whole or not at all, survive a power cut, and may be read by their owner alone.
 */
export function backUpDatabase({ databasePath, file, onStep }: BackupOrder): BackupReport {
  const target = resolve(file)
  refuseTarget(target, databasePath)
  const work = makeWorkFolder(dirname(target))
  try {
    const copy = copyInto(work, databasePath, onStep)
    publish(copy, target, work)
    return reportOn(target, copy)
  } finally {
    work.remove()
  }
}

export function reportOn(file: string, { bytes, sha256, history }: CheckedCopy): BackupReport {
  return { file, bytes, sha256, version: history.at(-1)?.name ?? 'none' }
}

/** Makes a checked copy of a database of Alibi in a work folder. Throws with what was in the way. */
export function copyInto(
  work: WorkFolder,
  databasePath: string,
  onStep: ((step: CopyStep) => void) | undefined,
): CheckedCopy {
  let client: Database | null = null
  try {
    client = new Database(databasePath, { readwrite: true, create: false })
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    refuseForeign(client)
    return makeCheckedCopy(client, work, onStep)
  } catch (error) {
    throw new Error(`the database ${databasePath} could not be copied`, { cause: error })
  } finally {
    client?.close(true)
  }
}

/** Throws where a file of this name cannot be the backup. */
export function refuseTarget(target: string, databasePath: string): void {
  const database = statSync(databasePath)
  const folder = dirname(target)
  const parent = statSync(folder, { throwIfNoEntry: false })
  if (!parent?.isDirectory()) throw new Error(`there is no folder ${folder}`)
  const ownNames = SIDE_SUFFIXES.map((suffix) => resolveDatabasePath(databasePath) + suffix)
  if (ownNames.includes(target)) throw new Error(`${target} is a name that SQLite itself uses`)

  const there = find(target)
  if (there?.isDirectory()) throw new Error(`${target} is a folder: name a file in it`)
  if (there?.ino === database.ino && there.dev === database.dev) {
    throw new Error(`${target} is the database itself`)
  }
  for (const path of [target, checksumPath(target)]) if (find(path)) throw alreadyThere(path)
}

/** A database without migrations was never served, or belongs to another program. */
function refuseForeign(client: Database): void {
  if (readHistory(client).length > 0) return
  throw new Error('it is not a database of Alibi: it has no migrations on record')
}

function publish({ path: copy, sha256 }: CheckedCopy, target: string, work: WorkFolder): void {
  const checksum = join(work.path, 'copy.sha256')
  writeNewFile(checksum, checksumLine(sha256, basename(target)))
  publishBoth({ copy, checksum }, target)
  makeDurable(dirname(target))
}

/**
 * Gives a copy and its checksum their names, or neither. The checksum comes first: no reader finds a copy without its
 * checksum. `inFolder` says where a name is reached, where that is not by itself.
 */
export function publishBoth(
  drafts: { readonly copy: string; readonly checksum: string },
  target: string,
  inFolder = (path: string) => path,
): void {
  const checksum = checksumPath(target)
  publishAs(checksum, drafts.checksum, inFolder(checksum))
  try {
    publishAs(target, drafts.copy, inFolder(target))
  } catch (error) {
    rmSync(inFolder(checksum), { force: true })
    throw error
  }
}

/** Errors call the new file by its `name`. */
function publishAs(name: string, draft: string, path: string): void {
  try {
    publishNew(draft, path)
  } catch (error) {
    throw hasCode(error, 'EEXIST') ? alreadyThere(name) : error
  }
}

function alreadyThere(path: string): Error {
  return new Error(`${path} is there already, and nothing is overwritten`)
}

function find(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
