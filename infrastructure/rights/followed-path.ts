import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** A folder, a link or a file on the way of a path, which itself has no link in it. */
export type Step = { readonly path: string; readonly stats: Stats }

/** The way of a path from the root on, as far as it exists. */
export type FollowedPath = {
  readonly steps: readonly Step[]
  /** The folder that the path ends in, or would: the nearest one that exists. */
  readonly folder: Step
}

/** As many as Linux follows (path_resolution(7)). */
const LINKS_MAX = 40

/** Follows the links of a path one by one, and opens nothing. Throws with Node's code where it cannot be followed. */
export function followPath(path: string): FollowedPath {
  const root = { path: '/', stats: lstatSync('/') }
  const steps: Step[] = [root]
  let folder = root
  let names = namesOf(resolve(path))
  for (let links = 0; ; ) {
    const [name, ...rest] = names
    if (name === undefined) return { steps, folder }
    // A step back leads to a folder that the way has come through, or to one above it.
    const next = name === '..' ? dirname(folder.path) : join(folder.path, name)
    const stats = lstatSync(next, { throwIfNoEntry: false })
    if (!stats) return { steps, folder }
    const step = { path: next, stats }
    steps.push(step)
    names = rest
    if (stats.isSymbolicLink()) {
      if (++links > LINKS_MAX) throw new Error(`${path} leads through too many links`)
      const target = readlinkSync(next)
      if (target.startsWith('/')) folder = root
      names = [...namesOf(target), ...rest]
    } else if (stats.isDirectory()) folder = step
    else return { steps, folder }
  }
}

/**
 * Throws where a link on the way belongs to a user who is neither root, nor the owner of what it leads to in the end:
 * that user may not use the rights of others to get there.
 */
export function refuseLinksOfOthers(path: string, { steps }: FollowedPath, owner: number): void {
  const link = steps.find(
    ({ stats }) => stats.isSymbolicLink() && stats.uid !== 0 && stats.uid !== owner,
  )
  if (!link) return
  throw new Error(
    `${path} leads through the link ${link.path} of user ${link.stats.uid} to what belongs to user ${owner}: name the place itself`,
  )
}

/** Whether the way comes through the folder. */
export function comesThrough({ steps }: FollowedPath, folder: Step): boolean {
  return steps.some(({ stats }) => stats.ino === folder.stats.ino && stats.dev === folder.stats.dev)
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}
