import {
  type BigIntStats,
  existsSync,
  fchownSync,
  fstatSync,
  lstatSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { Unavailable } from '../../application/unavailable.ts'
import { translateFileOutage } from './storage-outage.ts'

/** The files beside a database in use without which it is not complete. */
export const LOG_SUFFIXES = ['-wal', '-journal'] as const

/** The log, and the index of the log. The index has no content of its own. */
export const SIDE_SUFFIXES = [...LOG_SUFFIXES, '-shm'] as const

/**
 * Where the file of a database lies, absolute. For a link that is the place to which it leads: SQLite keeps the log
 * there, and files that replace the database have to be on that disk. A link that leads nowhere stands for itself.
 */
export function resolveDatabasePath(path: string): string {
  const absolutePath = resolve(path)
  if (!existsSync(absolutePath)) return absolutePath
  return lstatSync(absolutePath).isSymbolicLink() ? realpathSync(absolutePath) : absolutePath
}

/** The open files are not those that the next start would find. */
export class DatabaseFilesReplaced extends Error {
  override readonly name = 'DatabaseFilesReplaced'
}

/**
 * SQLite goes on writing into files that were deleted or replaced, where no later start finds the data. Returns a check
 * that throws `Unavailable('storage')` unless the files of an open database (its own and its log) are still those of
 * now.
 */
export function filesInPlaceCheck(path: string): () => void {
  const opened = [path, `${path}-wal`].map((file) => ({ file, stats: findFile(file) }))

  return () => {
    for (const { file, stats } of opened) {
      if (isSameFile(stats, findFile(file))) continue
      throw new Unavailable('storage', {
        cause: new DatabaseFilesReplaced(`${file} is another file now, or gone`),
      })
    }
  }
}

function findFile(path: string): BigIntStats | undefined {
  return translateFileOutage(() => statSync(path, { bigint: true, throwIfNoEntry: false }))
}

function isSameFile(left: BigIntStats | undefined, right: BigIntStats | undefined): boolean {
  return left?.ino === right?.ino && left?.dev === right?.dev
}

/**
 * Gives a file to the owner and the group of the file or folder at the path. Only root can give it to another user, and
 * others may not be in that group: then the file stays as it is.
 */
export function giveToOwnerOf(path: string, file: number): void {
  const { uid, gid } = statSync(path)
  const own = fstatSync(file)
  if (own.uid === uid && own.gid === gid) return
  try {
    fchownSync(file, uid, gid)
  } catch (error) {
    if (process.geteuid?.() === 0) throw error
  }
}

/** How much a user other than root may still write to the disk of a folder. Throws with Node's code. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
