import { fchownSync, statSync } from 'node:fs'

/** What root makes for the service has to belong to whoever has the file or folder at the path; others keep theirs. */
export function giveToOwnerOf(path: string, file: number): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(path)
  fchownSync(file, uid, gid)
}
