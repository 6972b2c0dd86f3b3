import { closeSync, constants, fsyncSync, openSync, rmSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { draftPath, removeStaleDrafts } from '../../files/drafts.ts'
import { copyIntoNewFile, writeNewFile } from '../../files/durable-files.ts'
import { refuseForeignLinks, takeOwnersRights } from '../../rights/state-folder.ts'
import type { CheckedCopy, CopyStep } from '../backup-copy.ts'
import { resolveDatabasePath } from '../files.ts'
import { makeWorkFolder } from '../work-folder.ts'
import { type BackupReport, copyInto, linkNew, refuseTarget, reportOn } from './backup.ts'
import { checksumLine, checksumPath } from './backup-checksum.ts'

/**
 * As `backUpDatabase`, for root, with a database in another user's folder and a file that is not there. SQLite copies
 * the database with the rights of the owner of its folder, within that folder; what it has made is read through one
 * descriptor, and written with the rights of root, whose file it is.
 */
export function backUpElsewhere({
  databasePath,
  file,
  onStep,
}: {
  databasePath: string
  file: string
  onStep?: (step: CopyStep) => void
}): BackupReport {
  const target = resolve(file)
  refuseForeignLinks(dirname(target))
  refuseTarget(target, databasePath)
  // Whatever happens to its name: this is the folder in which the files will be.
  const folder = openSync(dirname(target), constants.O_RDONLY | constants.O_DIRECTORY)
  const rights = takeOwnersRights(databasePath)
  try {
    const work = makeWorkFolder(dirname(resolveDatabasePath(databasePath)))
    try {
      const copy = copyInto(work, databasePath, onStep)
      const source = openSync(copy.path, constants.O_RDONLY | constants.O_NOFOLLOW)
      try {
        rights.asCaller(() => publish({ copy, source, target, folder }))
      } finally {
        closeSync(source)
      }
      return reportOn(target, copy)
    } finally {
      work.remove()
    }
  } finally {
    rights.giveBack()
    closeSync(folder)
  }
}

/** The checksum comes first: no reader finds a copy without its checksum. */
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
  const checksum = checksumPath(target)
  const drafts = [target, checksum].map((path) => draftPath(inFolder(path)))
  const [copyDraft = '', checksumDraft = ''] = drafts
  for (const path of [target, checksum]) removeStaleDrafts(inFolder(path))
  try {
    if (copyIntoNewFile(source, copyDraft) !== sha256) {
      throw new Error(`the copy was changed before it was in ${dirname(target)}`)
    }
    writeNewFile(checksumDraft, checksumLine(sha256, basename(target)))
    linkNew(checksumDraft, inFolder(checksum), checksum)
    try {
      linkNew(copyDraft, inFolder(target), target)
    } catch (error) {
      rmSync(inFolder(checksum), { force: true })
      throw error
    }
  } finally {
    for (const draft of drafts) rmSync(draft, { force: true })
  }
  fsyncSync(folder)
}
