import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../files/node-errors.ts'
import { CALLERS_RIGHTS, type TakenRights, takeRights } from './effective-user.ts'
import { comesThrough, followPath, refuseLinksOfOthers, type Step } from './followed-path.ts'
import { openPassage } from './private-mounts.ts'

// Why: docs/decisions.md#as-root-commands-act-as-the-owner-of-the-database
/**
 * The folder that holds a database, whose owner is not root; null for every other folder, and for callers other than
 * root. Where it is not there yet, the nearest folder above counts. Throws where a link of another user than its owner
 * leads there.
 */
function findForeignFolder(databasePath: string): Step | null {
  if (process.geteuid?.() !== 0) return null
  const followed = followPath(databasePath)
  const { folder } = followed
  refuseLinksOfOthers(databasePath, followed, folder.stats.uid)
  return folder.stats.uid === 0 ? null : folder
}

/**
 * To be called before anything touches the folder of the database. Where root has started the process, it then acts as
 * the owner of that folder, so that no link in it leads to what that user may not use. Throws with what stands in the
 * way.
 */
export function takeOwnersRights(databasePath: string): TakenRights {
  const folder = findForeignFolder(databasePath)
  if (!folder) return CALLERS_RIGHTS
  const closed = takenFor(folder, () => findClosed(folder.path))
  if (closed) openPassageTo(folder, closed)
  return takeRights(folder.stats)
}

/**
 * Uses a path that may come through the folder of the database, and does not pause: there with the rights of its owner,
 * elsewhere with those of the caller.
 */
export function withRightsFor<Result>(
  path: string,
  databasePath: string,
  work: () => Result,
): Result {
  const rights = isElsewhere(path, databasePath) ? CALLERS_RIGHTS : takeOwnersRights(databasePath)
  try {
    return work()
  } finally {
    rights.giveBack()
  }
}

/** Whether root asks, the folder of the database belongs to another user, and the path does not come through it. */
export function isElsewhere(path: string, databasePath: string): boolean {
  const folder = findForeignFolder(databasePath)
  return folder !== null && !comesThrough(followPath(path), folder)
}

/**
 * Throws where root would follow a link of another user to a file that the link's owner does not own. For a file that
 * is not there yet, the folder counts.
 */
export function refuseForeignLinks(path: string): void {
  if (process.geteuid?.() !== 0) return
  const followed = followPath(path)
  const there: Stats | undefined = statSync(path, { throwIfNoEntry: false })
  refuseLinksOfOthers(path, followed, (there ?? followed.folder.stats).uid)
}

/**
 * Opens a folder for root. Throws where a link of another user than the folder's owner leads there, also where it took
 * its place only now.
 */
export function openFolder(path: string): number {
  const opened = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    const stats = fstatSync(opened)
    const followed = followPath(path)
    refuseLinksOfOthers(path, followed, stats.uid)
    const { ino, dev } = followed.folder.stats
    if (stats.ino !== ino || stats.dev !== dev) throw new Error(`${path} is another folder now`)
    return opened
  } catch (error) {
    closeSync(opened)
    throw error
  }
}

function takenFor<Result>({ path, stats }: Step, work: () => Result): Result {
  try {
    const rights = takeRights(stats)
    try {
      return work()
    } finally {
      rights.giveBack()
    }
  } catch (error) {
    throw new Error(`${path} belongs to user ${stats.uid}`, { cause: error })
  }
}

/** The folder above this one that the user of now may not enter; null where the whole way is open. */
function findClosed(folder: string): string | null {
  let above = '/'
  for (const name of folder.split('/').filter((one) => one !== '')) {
    const next = join(above, name)
    try {
      lstatSync(next)
    } catch (error) {
      if (hasCode(error, 'EACCES')) return above
      throw error
    }
    above = next
  }
  return null
}

function openPassageTo({ path, stats: { uid } }: Step, closed: string): void {
  try {
    openPassage({ closed, folder: path, uid })
  } catch (error) {
    throw new Error(
      `user ${uid}, to whom ${path} belongs, may not enter ${closed}, and no way around that can be made`,
      { cause: error },
    )
  }
}
