import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { resolveDatabasePath } from '../files.ts'
import { makeWorkFolder } from '../work-folder.ts'
import { type Candidate, type CandidateStep, copyCandidate } from './restore-candidate.ts'
import { lockDatabase } from './restore-lock.ts'
import { type SwapStep, swapDatabase } from './restore-swap.ts'

export type RestoreStep = CandidateStep | SwapStep

/** A backup that has passed its checks, and a database that no process uses. */
export type PreparedRestore = Omit<Candidate, 'path'> & {
  /** Absolute: where the database is, or will be. */
  readonly databasePath: string
  /**
   * Puts the backup in the place of the database. Returns the name under which the old database is kept; null where
   * there was none. Throws `DatabaseInUse`, with nothing changed, where a process has begun to use the database.
   */
  carryOut(now: Date): string | null
  /** Removes every file that was made for it. Never throws. */
  end(): void
}

/**
 * Changes nothing yet, except that it folds in the log that a killed process has left. Throws `DatabaseInUse`, or with
 * what is wrong with the backup.
 */
export function prepareRestore({
  databasePath,
  file,
  onStep = () => {},
}: {
  databasePath: string
  file: string
  onStep?: (step: RestoreStep) => void
}): PreparedRestore {
  // Where the path is a link, it goes on being one.
  const path = resolveDatabasePath(databasePath)
  refuseFile(resolve(file), path)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const work = makeWorkFolder(dirname(path))
  try {
    if (existsSync(path)) lockDatabase(path, work).release()
    const candidate = copyCandidate(resolve(file), work, onStep)
    return {
      ...candidate,
      databasePath: path,
      carryOut(now) {
        giveToOwner(candidate.path, path)
        return swapDatabase({ candidate: candidate.path, path, work, now, onStep })
      },
      end: work.remove,
    }
  } catch (error) {
    work.remove()
    throw error
  }
}

function refuseFile(file: string, databasePath: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) throw new Error(`there is no file ${file}`)
  if (!stats.isFile()) throw new Error(`${file} is not a file`)
  const there = lstatSync(databasePath, { throwIfNoEntry: false })
  if (there && !there.isFile())
    throw new Error(`${databasePath} is not a file: it is left as it is`)
  if (there?.ino === stats.ino && there.dev === stats.dev) {
    throw new Error(`${file} is the database itself`)
  }
}

/** The old database may belong to the user of the service, and the restore may run as another user. */
function giveToOwner(candidate: string, path: string): void {
  const old = statSync(path, { throwIfNoEntry: false })
  const { uid, gid } = old ?? statSync(dirname(path))
  const own = statSync(candidate)
  if (own.uid !== uid || own.gid !== gid) changeOwner(candidate, uid, gid)
  chmodSync(candidate, old ? old.mode & 0o777 : 0o600)
}

function changeOwner(candidate: string, uid: number, gid: number): void {
  try {
    chownSync(candidate, uid, gid)
  } catch (error) {
    throw new Error(`only root can restore the database of another user (${uid})`, { cause: error })
  }
}
