import { chownSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isOpen, openTemporaryFolder } from '../temporary-folder.ts'

export type Account = { readonly uid: number; readonly gid: number }

/**
 * Who runs PostgreSQL and PgBouncer, which refuse to run as root: `nobody` where the tests run as root, else null for
 * whoever runs the tests.
 */
export const UNPRIVILEGED: Account | null = process.getuid?.() === 0 ? nobody() : null

function nobody(): Account {
  const line = /^nobody:[^:]*:(?<uid>-?\d+):(?<gid>-?\d+):/m.exec(
    readFileSync('/etc/passwd', 'utf8'),
  )
  return {
    uid: Number(line?.groups?.['uid'] ?? 65_534),
    gid: Number(line?.groups?.['gid'] ?? 65_534),
  }
}

/** An empty folder that belongs to that account, until it is disposed of. */
export function openUnprivilegedFolder(): { readonly path: string } & Disposable {
  const folder = openTemporaryFolder('postgres')
  giveAway(folder.path)
  return folder
}

/** Writes a file that belongs to that account. */
export function writeOwned(path: string, text: string): void {
  writeFileSync(path, text)
  giveAway(path)
}

export function giveAway(path: string): void {
  if (UNPRIVILEGED) chownSync(path, UNPRIVILEGED.uid, UNPRIVILEGED.gid)
}

/**
 * The folder of programs as that account can reach it: itself, or a copy of the tree it belongs to where the checkout
 * lies in a folder that is only root's.
 */
export function reachable(binaries: string, folder: string): string {
  if (!UNPRIVILEGED || isOpen(binaries)) return binaries
  const tree = dirname(binaries)
  const copy = join(folder, 'program')
  cpSync(tree, copy, { recursive: true, verbatimSymlinks: true })
  // Whoever takes the folder away has to own the folders in it.
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    giveAway(entry.parentPath)
  }
  return join(copy, basename(binaries))
}
