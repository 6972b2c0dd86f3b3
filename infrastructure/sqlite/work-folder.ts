import { Database } from 'bun:sqlite'
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { MINUTE_MS } from '../../domain/duration.ts'

const UNFINISHED = '.alibi-new-'
const FINISHED = '.alibi-work-'
const NAME = /^\.alibi-(?:new|work)-[0-9A-Za-z]{6}$/
const LOCK = 'lock'

/** Another process may be just making or removing a folder without a lock: for this long it is left alone. */
const UNLOCKED_MAX_MS = MINUTE_MS

/** A folder for a file that is not complete yet, so that no other process takes it for complete. */
export type WorkFolder = {
  readonly path: string
  /** Removes it with everything in it. Never throws: the next work folder in the same place removes leftovers, too. */
  remove(): void
}

/**
 * Makes a folder in `parent` that only its owner may enter. A file in it can be moved into `parent` in one step.
 * Removes the folders that killed processes have left there. Throws where no file can be made in `parent`.
 */
export function makeWorkFolder(parent: string): WorkFolder {
  const unfinished = makeUnfinished(parent)
  // The lock ends with the process, however that ends. Unlike a process id, other containers see it, too.
  const lock = takeLock(unfinished, { create: true })
  const path = unfinished.replace(UNFINISHED, FINISHED)
  renameSync(unfinished, path)
  removeAbandoned(parent, statSync(path).mtimeMs)
  return {
    path,
    remove() {
      removeFolder(path)
      lock?.close(true)
    },
  }
}

function makeUnfinished(parent: string): string {
  try {
    return mkdtempSync(join(parent, UNFINISHED))
  } catch (error) {
    throw new Error(`no file can be made in ${parent}`, { cause: error })
  }
}

/** Throws, with Node's code, unless files can be made in the folder. */
export function refuseUnwritable(folder: string): void {
  rmdirSync(mkdtempSync(join(folder, UNFINISHED)))
}

function removeAbandoned(parent: string, nowMs: number): void {
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    if (!entry.isDirectory() || !NAME.test(entry.name)) continue
    const path = join(parent, entry.name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    // What another user has put there is not for this one to open, nor to remove.
    if (found && found.uid !== process.geteuid?.()) continue
    const changedMs = found?.mtimeMs ?? nowMs
    const isOld = nowMs - changedMs > UNLOCKED_MAX_MS
    if (!isOld && entry.name.startsWith(UNFINISHED)) continue
    const lock = takeLock(path, { create: false })
    if (lock || (isOld && !existsSync(join(path, LOCK)))) removeFolder(path)
    lock?.close(true)
  }
}

/** Null where another process has the lock, or where it cannot be made. */
function takeLock(folder: string, { create }: { create: boolean }): Database | null {
  let lock: Database | null = null
  try {
    lock = new Database(join(folder, LOCK), { readwrite: true, create })
    lock.run('BEGIN EXCLUSIVE')
    return lock
  } catch {
    lock?.close(true)
    return null
  }
}

/** The lock goes last: a process that is killed here leaves a folder without a holder of its lock, or an empty one. */
function removeFolder(path: string): void {
  try {
    for (const name of readdirSync(path)) {
      if (name !== LOCK) rmSync(join(path, name), { recursive: true, force: true })
    }
    rmSync(path, { recursive: true, force: true })
  } catch {
    // It belongs to another user, such as root, and that user's next run removes it.
  }
}
