import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { draftPath } from '../files/drafts.ts'
import {
  isSecondNameRefused,
  makeDurable,
  publishNew,
  sha256OfFile,
} from '../files/durable-files.ts'
import { codeOf, hasCode } from '../files/node-errors.ts'
import type { InstalledFile } from './installed-files.ts'

/**
 * What was done to a file. `kept`: it is the operator's. `unchanged`: it was right. `mended`: only its mode was wrong.
 */
export type Change = 'created' | 'replaced' | 'unchanged' | 'kept' | 'mended'

const EXECUTABLE_MODE = 0o755
const RIGHTS = 0o7777
/** The rights that only the owner of the operator's files may have. The group may read. */
const FORBIDDEN = 0o027

/** Writes a file whole or not at all. The file that it replaces stays whole until then. */
export function placeText(
  path: string,
  { text, mode, owner }: Omit<InstalledFile, 'path'>,
): Change {
  const write = (draft: string) => writeFileSync(draft, text, { mode, flag: 'wx' })
  if (owner === 'operator') return placeOnce(path, write)

  const existing = isThere(path)
  if (existing && readText(path) === text) {
    return setRights(path, () => mode) ? 'mended' : 'unchanged'
  }
  placeBy(path, write)
  return existing ? 'replaced' : 'created'
}

/** As `placeText`, for a copy of the executable at `source`. The one that was there stays, as `previous`. */
export function placeExecutable(
  source: string,
  { path, previous }: { path: string; previous: string },
): Change {
  const existing = inodeOf(path)
  if (existing !== null && isSameContent(source, path)) {
    return setRights(path, () => EXECUTABLE_MODE) ? 'mended' : 'unchanged'
  }
  placeBy(path, (draft) => {
    copyFileSync(source, draft, constants.COPYFILE_EXCL)
    // The mode of a downloaded file may admit its owner alone, and the service is another user.
    setRights(draft, () => EXECUTABLE_MODE)
    // Another installation may have replaced it meanwhile, and has kept the previous one already.
    if (existing === null) return
    placeBy(
      previous,
      (older) => linkOrCopy(path, older),
      (older, kept) => {
        if (inodeOf(path) === existing) renameSync(older, kept)
      },
    )
  })
  return existing === null ? 'created' : 'replaced'
}

function linkOrCopy(path: string, other: string): void {
  try {
    linkSync(path, other)
  } catch (error) {
    if (!isSecondNameRefused(error)) throw error
    copyFileSync(path, other, constants.COPYFILE_EXCL)
  }
}

/**
 * A file that is there stays, also one that another process puts there at this moment. Only rights of others are
 * removed.
 */
function placeOnce(path: string, write: (draft: string) => void): Change {
  if (!isThere(path)) {
    try {
      placeBy(path, write, publishNew)
      return 'created'
    } catch (error) {
      if (!(error instanceof Error && hasCode(error.cause, 'EEXIST'))) throw error
    }
  }
  return restrictPermissions(path) ? 'mended' : 'kept'
}

/**
 * Lets only its owner and readers of its group use a file or folder of the operator's. Returns whether that took a
 * change.
 */
export function restrictPermissions(path: string): boolean {
  return setRights(path, (mode) => mode & ~FORBIDDEN)
}

/** Makes it under another name in the same folder first, and takes that away again when it fails. */
function placeBy(
  path: string,
  make: (draft: string) => void,
  publish: (draft: string, path: string) => void = renameSync,
): void {
  const draft = draftPath(path)
  try {
    make(draft)
    makeDurable(draft)
    publish(draft, path)
    makeDurable(dirname(path))
  } catch (error) {
    throw new Error(`${path} cannot be written`, { cause: error })
  } finally {
    rmSync(draft, { force: true })
  }
}

/** True also for a link whose target is gone. */
export function isThere(path: string): boolean {
  return inodeOf(path) !== null
}

function inodeOf(path: string): number | null {
  return lstatSync(path, { throwIfNoEntry: false })?.ino ?? null
}

/** Null for a link, wherever it leads. */
function readText(path: string): string | null {
  return withFile(path, (descriptor) => readFileSync(descriptor, 'utf8'))
}

/** Returns whether that took a change. Leaves a link and its target alone. */
function setRights(path: string, rightsFrom: (mode: number) => number): boolean {
  const isChanged = withFile(path, (descriptor) => {
    const mode = fstatSync(descriptor).mode & RIGHTS
    const wanted = rightsFrom(mode)
    if (mode !== wanted) fchmodSync(descriptor, wanted)
    return mode !== wanted
  })
  return isChanged ?? false
}

function withFile<Result>(path: string, use: (descriptor: number) => Result): Result | null {
  let descriptor: number | null = null
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    return use(descriptor)
  } catch (error) {
    if (codeOf(error) === 'ELOOP') return null
    throw new Error(`${path} cannot be read, or given its mode`, { cause: error })
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

function isSameContent(left: string, right: string): boolean {
  const [one, other] = [statSync(left), statSync(right, { throwIfNoEntry: false })]
  if (other === undefined) return false
  if (one.ino === other.ino && one.dev === other.dev) return true
  return one.size === other.size && sha256OfFile(left) === sha256OfFile(right)
}
