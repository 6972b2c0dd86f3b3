import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { hasCode } from './node-errors.ts'

/** Where this process writes what is to be at `path` once it is whole. */
export function draftPath(path: string): string {
  return join(dirname(path), `${draftPrefix(path)}${process.pid}`)
}

/** The beginning of a name that no other program chooses. The id of the process that writes follows. */
export function draftPrefix(path: string): string {
  return `.${basename(path)}.alibi-draft-`
}

/** Removes the unfinished drafts that ended processes have left beside a file. */
export function removeStaleDrafts(path: string): void {
  const prefix = draftPrefix(path)
  for (const name of namesIn(dirname(path))) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN
    if (pid > 0 && !isRunning(pid)) rmSync(join(dirname(path), name), { force: true })
  }
}

function namesIn(folder: string): readonly string[] {
  return lstatSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : []
}

function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}
