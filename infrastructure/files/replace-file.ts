import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { draftPath, removeStaleDrafts } from './drafts.ts'
import { makeDurable, publishNew } from './durable-files.ts'
import { hasCode } from './node-errors.ts'

/**
 * Puts a file in its place, whole or not at all. `make` makes it under another name in the same folder, so that it
 * survives a power cut; the one that it replaces stays until then.
 */
export function replaceFile(
  path: string,
  make: (draft: string) => void,
  publish: (draft: string, path: string) => void = renameSync,
): void {
  const draft = draftPath(path)
  try {
    removeStaleDrafts(path)
    make(draft)
    publish(draft, path)
    makeDurable(dirname(path))
  } catch (error) {
    throw new Error(`${path} cannot be written`, { cause: error })
  } finally {
    rmSync(draft, { force: true })
  }
}

/** As `replaceFile`, but replaces nothing: false where there is a file by then, as another process may put it there. */
export function placeNewFile(path: string, make: (draft: string) => void): boolean {
  try {
    replaceFile(path, make, publishNew)
    return true
  } catch (error) {
    if (error instanceof Error && hasCode(error.cause, 'EEXIST')) return false
    throw error
  }
}
