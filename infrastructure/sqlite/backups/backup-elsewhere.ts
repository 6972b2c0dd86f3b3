import { closeSync, constants, fsyncSync, rmSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { BackupReport } from '../../../application/upkeep/reports.ts'
import { draftPath, removeStaleDrafts } from '../../files/drafts.ts'
import { copyIntoNewFile, writeNewFile } from '../../files/durable-files.ts'
import { withFile } from '../../files/open-file.ts'
import { openFolder, takeOwnersRights } from '../../rights/state-folder.ts'
import type { CheckedCopy } from '../backup-copy.ts'
import { resolveDatabasePath } from '../files.ts'
import { makeWorkFolder } from '../work-folder.ts'
import { type BackupOrder, copyInto, publishBoth, refuseTarget, reportOn } from './backup.ts'
import { checksumLine, checksumPath } from './backup-checksum.ts'

/**
 * As `backUpDatabase`, for root, with a database in another user's folder and a file that is not there. SQLite copies
 * the database with the rights of the owner of its folder, within that folder; what it has made is read through one
 * descriptor, and written with the rights of root, whose file it is.
 */
export function backUpElsewhere({ databasePath, file, onStep }: BackupOrder): BackupReport {
  const target = resolve(file)
  refuseTarget(target, databasePath)
  // Whatever happens to its name: this is the folder in which the files will be.
  const folder = openFolder(dirname(target))
  try {
    const rights = takeOwnersRights(databasePath)
    try {
      const work = makeWorkFolder(dirname(resolveDatabasePath(databasePath)))
      try {
        const copy = copyInto(work, databasePath, onStep)
        withFile(copy.path, constants.O_RDONLY | constants.O_NOFOLLOW, (source) =>
          rights.asCaller(() => publish({ copy, source, target, folder })),
        )
        return reportOn(target, copy)
      } finally {
        work.remove()
      }
    } finally {
      rights.giveBack()
    }
  } finally {
    closeSync(folder)
  }
}

function publish({
  copy: { sha256 },
  source,
  target,
  folder,
}: {
  copy: CheckedCopy
  source: number
  target: string
  folder: number
}): void {
  const inFolder = (path: string) => `/proc/self/fd/${folder}/${basename(path)}`
  const places = { copy: inFolder(target), checksum: inFolder(checksumPath(target)) }
  const drafts = { copy: draftPath(places.copy), checksum: draftPath(places.checksum) }
  for (const place of Object.values(places)) removeStaleDrafts(place)
  try {
    if (copyIntoNewFile(source, drafts.copy) !== sha256) {
      throw new Error(`the copy was changed before it was in ${dirname(target)}`)
    }
    writeNewFile(drafts.checksum, checksumLine(sha256, basename(target)))
    publishBoth(drafts, target, inFolder)
  } finally {
    for (const draft of Object.values(drafts)) rmSync(draft, { force: true })
  }
  fsyncSync(folder)
}
