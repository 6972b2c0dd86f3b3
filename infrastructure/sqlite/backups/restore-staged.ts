import { constants, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { copyIntoNewFile } from '../../files/durable-files.ts'
import { refuseForeignLinks } from '../../rights/state-folder.ts'
import { refuseLackOfRoom } from '../backup-copy.ts'
import { makeWorkFolder, type WorkFolder } from '../work-folder.ts'
import {
  type Candidate,
  type CandidateStep,
  copyCandidate,
  refuseNoFile,
} from './restore-candidate.ts'

/** A checked copy of a backup, open, in a file that has no name any more: nobody else can get at it. */
export type StagedBackup = Omit<Candidate, 'path'> & { readonly descriptor: number }

/**
 * Copies a backup that root alone may be able to read, and checks it, before root takes over the rights of the owner of
 * the database: with those it could not be read, and with its own, root would have to write into that user's folder.
 * The copy is made in the system's folder for temporary files (TMPDIR, else /tmp). Throws with the reason where the
 * backup fails a check.
 */
export function stageBackup(file: string, onStep: (step: CandidateStep) => void): StagedBackup {
  const source = resolve(file)
  refuseNoFile(source)
  refuseForeignLinks(source)
  const stage = makeWorkFolder(tmpdir())
  try {
    const { path, ...candidate } = copyCandidate(source, stage, onStep)
    return { ...candidate, descriptor: openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW) }
  } finally {
    stage.remove()
  }
}

/** Copies it on into a work folder. */
export function copyStaged(
  { descriptor, ...staged }: StagedBackup,
  { path: folder }: WorkFolder,
): Candidate {
  refuseLackOfRoom(folder, staged.bytes)
  const path = join(folder, 'candidate.db')
  copyIntoNewFile(descriptor, path)
  return { ...staged, path }
}
