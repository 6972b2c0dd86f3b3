import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openProduction } from './production.ts'

/** A user of no name, whose folder it is. */
export const OWNER = 61_234

/** Whether this can be played here: only root has the rights of others to take over. Says so where not. */
export function isPlayable(what: string): boolean {
  if (process.geteuid?.() === 0) return true
  process.stdout.write(`not tested here: ${what} (needs root)\n`)
  return false
}

/** The executable with a state folder that belongs to another user than root, and what only root may read beside it. */
export async function openForeignState() {
  const production = await openProduction()
  chmodSync(production.folder, 0o755)
  const { state } = production
  const roots = join(production.folder, 'of-root')
  mkdirSync(roots, { mode: 0o755 })
  give(state)
  chmodSync(state, 0o700)
  return { ...production, roots }
}

export type ForeignState = Awaited<ReturnType<typeof openForeignState>>

/** Gives a file, a folder or a link itself to the owner of the state folder. */
export function give(path: string): void {
  if (lstatSync(path).isSymbolicLink()) Bun.spawnSync(['chown', '-h', `${OWNER}:${OWNER}`, path])
  else chownSync(path, OWNER, OWNER)
}

/** A file of root's that nobody else may read, and a check that it is still what it was. */
export function rootsFile(folder: string, name = 'secret', content = 'only for root\n') {
  const path = join(folder, name)
  writeFileSync(path, content, { mode: 0o600 })
  const look = () => {
    const { ino, uid, gid, mode, mtimeMs, nlink } = lstatSync(path)
    return { ino, uid, gid, mode, mtimeMs, nlink, content: readFileSync(path, 'latin1') }
  }
  const before = look()
  return { path, before, look }
}
