import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

const ANYBODY_WRITES = 0o002

/**
 * Makes the folder `path` of the system below `root` and its parents, where they are missing. Throws where one of them
 * leads out of `root`, and where a user may change one who is neither root, nor the user of this process, nor the owner
 * of `root`. A user who may change `root` itself while this runs is trusted.
 */
export function makeFolder(root: string, path: string, mode = 0o755): void {
  const top = realpathSync(root)
  const owners = [0, process.geteuid?.(), statSync(top).uid]
  let folder = root
  for (const name of path.split('/').filter((one) => one !== '')) {
    folder = join(folder, name)
    if (!lstatSync(folder, { throwIfNoEntry: false })) make(folder, mode)
    refuseOutside(folder, { root, top })
    const found = statSync(folder)
    if (!found.isDirectory()) throw new Error(`${folder} is no folder`)
    if (!owners.includes(found.uid)) {
      throw new Error(
        `${folder} belongs to user ${found.uid}, who could change what is in it: look at that, and give the folder to root`,
      )
    }
    if (found.mode & ANYBODY_WRITES) {
      throw new Error(
        `anybody may write to ${folder}: look at what is in it, and "chmod o-w" the folder`,
      )
    }
  }
}

function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another installation may have made it.
    if (!statSync(folder, { throwIfNoEntry: false })) {
      throw new Error(`${folder} cannot be made`, { cause: error })
    }
  }
}

function refuseOutside(folder: string, { root, top }: { root: string; top: string }): void {
  const within = top.endsWith(sep) ? top : top + sep
  if (!realPath(folder).startsWith(within)) throw new Error(`${folder} leads out of ${root}`)
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch (error) {
    throw new Error(`${folder} leads nowhere`, { cause: error })
  }
}
