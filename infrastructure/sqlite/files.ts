import {
  type BigIntStats,
  existsSync,
  fchownSync,
  lstatSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { Unavailable } from '../../application/unavailable.ts'
import { translateFileOutage } from './storage-outage.ts'

/** What SQLite keeps beside a database that is in use, and without which that is not whole. */
export const LOG_SUFFIXES = ['-wal', '-journal'] as const

/** The log, and the index of the log, which says nothing by itself. */
export const SIDE_SUFFIXES = [...LOG_SUFFIXES, '-shm'] as const

/**
 * Where the file of a database lies, absolute. Where the path is a link it is another place, and that is where SQLite
 * keeps the log, and what has to be on the same disk. A link that leads nowhere stands for itself.
 */
export function ownPath(path: string): string {
  const absolutePath = resolve(path)
  if (!existsSync(absolutePath)) return absolutePath
  return lstatSync(absolutePath).isSymbolicLink() ? realpathSync(absolutePath) : absolutePath
}

/** The files that are open are not those that the next start would find. */
export class FilesAreGone extends Error {
  override readonly name = 'FilesAreGone'
}

/**
 * SQLite goes on writing into files that were deleted or replaced, where no later start finds it. Returns what throws
 * `Unavailable('storage')` unless the files of an open database (its own and its log) are still those of now.
 */
export function ownFilesCheck(path: string): () => void {
  const opened = [path, `${path}-wal`].map((file) => ({ file, stats: findFile(file) }))

  return () => {
    for (const { file, stats } of opened) {
      if (isSameFile(stats, findFile(file))) continue
      throw new Unavailable('storage', {
        cause: new FilesAreGone(`${file} is another file now, or gone`),
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

/** Gives what root makes for the service to the owner of the file or folder at the path. Other users keep theirs. */
export function giveToOwnerOf(path: string, file: number): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(path)
  fchownSync(file, uid, gid)
}

/** How much a user other than root may still write to the disk of a folder. Throws with Node's code. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
