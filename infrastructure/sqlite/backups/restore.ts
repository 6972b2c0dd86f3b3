import {
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { CheckedBackup } from '../../../application/upkeep/reports.ts'
import { withFile } from '../../files/open-file.ts'
import { giveToOwnerOf, resolveDatabasePath } from '../files.ts'
import { makeWorkFolder } from '../work-folder.ts'
import { type CandidateStep, copyCandidate, refuseNoFile } from './restore-candidate.ts'
import { lockDatabase } from './restore-lock.ts'
import { copyStaged, type StagedBackup } from './restore-staged.ts'
import { type SwapStep, swapDatabase } from './restore-swap.ts'

export type RestoreStep = CandidateStep | SwapStep

/** A backup that has passed its checks, and a database that no process uses. */
export type PreparedRestore = CheckedBackup & {
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

/** What is to be restored: a file by its name, or a copy of it that was made and checked with other rights. */
export type BackupSource = { readonly file: string } | StagedBackup

/**
 * Changes nothing yet, except that it folds in the log that a killed process has left. Throws `DatabaseInUse`, or with
 * what is wrong with the backup.
 */
export function prepareRestore({
  databasePath,
  onStep = () => {},
  ...source
}: BackupSource & {
  databasePath: string
  onStep?: (step: RestoreStep) => void
}): PreparedRestore {
  // Where the path is a link, it goes on being one.
  const path = resolveDatabasePath(databasePath)
  refusePlace(path)
  if ('file' in source) refuseFile(resolve(source.file), path)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const work = makeWorkFolder(dirname(path))
  try {
    if (existsSync(path)) lockDatabase(path, work).release()
    const candidate =
      'file' in source
        ? copyCandidate(resolve(source.file), work, onStep)
        : copyStaged(source, work)
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

function refusePlace(databasePath: string): void {
  const there = lstatSync(databasePath, { throwIfNoEntry: false })
  if (there && !there.isFile()) {
    throw new Error(`${databasePath} is not a file: it is left as it is`)
  }
}

function refuseFile(file: string, databasePath: string): void {
  refuseNoFile(file)
  const [given, there] = [file, databasePath].map((path) =>
    statSync(path, { throwIfNoEntry: false }),
  )
  if (given && there?.ino === given.ino && there.dev === given.dev) {
    throw new Error(`${file} is the database itself`)
  }
}

/** The old database may belong to the user of the service, and the restore may run as another user. */
function giveToOwner(candidate: string, path: string): void {
  const old = lstatSync(path, { throwIfNoEntry: false })
  const like = old ? path : dirname(path)
  const { uid, gid } = statSync(like)
  // A descriptor, so that no link takes the place of the file meanwhile.
  withFile(candidate, constants.O_RDONLY | constants.O_NOFOLLOW, (file) => {
    giveToOwnerOf(like, file)
    const own = fstatSync(file)
    if (own.uid !== uid)
      throw new Error(`only root can restore the database of another user (${uid})`)
    fchmodSync(file, old ? old.mode & (own.gid === gid ? 0o777 : 0o707) : 0o600)
  })
}
