import {
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { FileChange } from '../../application/upkeep/reports.ts'
import { isSecondNameRefused, makeDurable, sha256OfFile } from '../files/durable-files.ts'
import { hasCode } from '../files/node-errors.ts'
import { withFile } from '../files/open-file.ts'
import { placeNewFile, replaceFile } from '../files/replace-file.ts'
import type { InstalledFile } from './installed-files.ts'

const EXECUTABLE_MODE = 0o755
const RIGHTS = 0o7777
/** The rights that only the owner of the operator's files may have. The group may read. */
const FORBIDDEN = 0o027

/** Writes a file whole or not at all. The file that it replaces stays whole until then. */
export function placeText(
  path: string,
  { text, mode, owner }: Omit<InstalledFile, 'path'>,
): FileChange {
  function write(draft: string): void {
    writeFileSync(draft, text, { mode, flag: 'wx' })
    makeDurable(draft)
  }
  // A file that is there stays, also one that another process puts there at this moment.
  if (owner === 'operator') {
    if (!isThere(path) && placeNewFile(path, write)) return 'created'
    return restrictPermissions(path) ? 'mended' : 'kept'
  }

  const existing = isThere(path)
  if (existing && readText(path) === text) {
    return setRights(path, () => mode) ? 'mended' : 'unchanged'
  }
  replaceFile(path, write)
  return existing ? 'replaced' : 'created'
}

/** As `placeText`, for a copy of the executable at `source`. The one that was there stays, as `previous`. */
export function placeExecutable(
  source: string,
  { path, previous }: { path: string; previous: string },
): FileChange {
  const existing = inodeOf(path)
  if (existing !== null && isSameContent(source, path)) {
    return setRights(path, () => EXECUTABLE_MODE) ? 'mended' : 'unchanged'
  }
  replaceFile(path, (draft) => {
    copyFileSync(source, draft, constants.COPYFILE_EXCL)
    makeDurable(draft)
    // The mode of a downloaded file may admit its owner alone, and the service is another user.
    setRights(draft, () => EXECUTABLE_MODE)
    // Another installation may have replaced it meanwhile, and has kept the previous one already.
    if (existing === null) return
    replaceFile(
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
    makeDurable(other)
  }
}

/**
 * Lets only its owner and readers of its group use a file or folder of the operator's. Returns whether that took a
 * change.
 */
export function restrictPermissions(path: string): boolean {
  return setRights(path, (mode) => mode & ~FORBIDDEN)
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
  return usePlaced(path, (descriptor) => readFileSync(descriptor, 'utf8'))
}

/** Returns whether that took a change. Leaves a link and its target alone. */
function setRights(path: string, rightsFrom: (mode: number) => number): boolean {
  const isChanged = usePlaced(path, (descriptor) => {
    const mode = fstatSync(descriptor).mode & RIGHTS
    const wanted = rightsFrom(mode)
    if (mode !== wanted) fchmodSync(descriptor, wanted)
    return mode !== wanted
  })
  return isChanged ?? false
}

function usePlaced<Result>(path: string, use: (descriptor: number) => Result): Result | null {
  try {
    return withFile(path, constants.O_RDONLY | constants.O_NOFOLLOW, use)
  } catch (error) {
    if (hasCode(error, 'ELOOP')) return null
    throw new Error(`${path} cannot be read, or given its mode`, { cause: error })
  }
}

function isSameContent(left: string, right: string): boolean {
  const [one, other] = [statSync(left), statSync(right, { throwIfNoEntry: false })]
  if (other === undefined) return false
  if (one.ino === other.ino && one.dev === other.dev) return true
  return one.size === other.size && sha256OfFile(left) === sha256OfFile(right)
}
