import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { formatTimestamp } from '../../../domain/backup-schedule.ts'
import {
  copyIntoNewFile,
  isSecondNameRefused,
  makeDurable,
  publishNew,
  underFreeName,
} from '../../files/durable-files.ts'
import { LOG_SUFFIXES, SIDE_SUFFIXES } from '../files.ts'
import type { WorkFolder } from '../work-folder.ts'
import { type DatabaseLock, lockDatabase } from './restore-lock.ts'

/** Each is reported before it is taken. */
export type SwapStep =
  | 'locking'
  | 'folding the log in'
  | 'keeping the old database'
  | 'clearing its log away'
  | 'putting the backup in its place'
  | 'done'

/**
 * Puts one file in the place of the database. Returns the name under which the old one is kept; null where there was
 * none. A process that is killed here leaves the old database or the new one at the path, whole. One exception: the log
 * of an old database that is too damaged to take it in. Shortly before the new database comes, that log lies only
 * beside the other name of the old one.
 */
export function swapDatabase({
  candidate,
  path,
  work,
  now,
  onStep,
}: {
  candidate: string
  path: string
  work: WorkFolder
  now: Date
  onStep: (step: SwapStep) => void
}): string | null {
  onStep('locking')
  const old = existsSync(path) ? openSync(path, 'r') : null
  try {
    const lock = old === null ? null : lockDatabase(path, work)
    try {
      if (lock) foldLog(lock, path, onStep)
      onStep('keeping the old database')
      const name = `${path}.before-restore-${formatTimestamp(now)}`
      const kept = keepOld({ path, old, name, work })
      onStep('clearing its log away')
      // SQLite would take them for a part of the backup at that path, and damage it.
      for (const side of findSides(path)) rmSync(side)
      makeDurable(dirname(path))
      onStep('putting the backup in its place')
      // Where there was none, another process may make one meanwhile.
      if (lock) renameSync(candidate, path)
      else publishNew(candidate, path)
      makeDurable(dirname(path))
      onStep('done')
      return kept
    } finally {
      lock?.release()
    }
  } finally {
    // Closed sooner, it would take SQLite's locks along (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    if (old !== null) closeSync(old)
  }
}

function foldLog(lock: DatabaseLock, path: string, onStep: (step: SwapStep) => void): void {
  onStep('folding the log in')
  if (!lock.foldLog()) return
  // These have no content any more.
  for (const side of findSides(path)) rmSync(side)
}

/**
 * Gives the old database, which is open for reading, a second name and returns it; null where there is none. Where the
 * database is too damaged to take in its log, that is kept beside it, unless it is empty.
 */
function keepOld({
  path,
  old,
  name,
  work,
}: {
  path: string
  old: number | null
  name: string
  work: WorkFolder
}): string | null {
  const kept = old === null ? null : keepAs(name, { file: path, source: old, work })
  for (const suffix of LOG_SUFFIXES) {
    const log = path + suffix
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) continue
    keepAs((kept ?? name) + suffix, { file: log, source: log, work })
  }
  makeDurable(dirname(path))
  return kept
}

/** Under the first free name: the file itself, or a copy of it where a file can have one name only. */
function keepAs(
  name: string,
  { file, source, work }: { file: string; source: string | number; work: WorkFolder },
): string {
  try {
    return underFreeName(name, (free) => linkSync(file, free))
  } catch (error) {
    if (!isSecondNameRefused(error)) throw error
    const copy = join(work.path, basename(name))
    copyIntoNewFile(source, copy)
    return underFreeName(name, (free) => publishNew(copy, free))
  }
}

function findSides(path: string): readonly string[] {
  return SIDE_SUFFIXES.map((suffix) => path + suffix).filter((side) => existsSync(side))
}
