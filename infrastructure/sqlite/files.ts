import { type BigIntStats, statSync } from 'node:fs'
import { Unavailable } from '../../application/unavailable.ts'
import { translateFileOutage } from './storage-outage.ts'

/** The files that are open are not those that the next start would find. */
export class FilesAreGone extends Error {
  override readonly name = 'FilesAreGone'
}

/**
 * SQLite goes on writing into files that were deleted or replaced, and nobody ever reads that. Returns what throws
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
