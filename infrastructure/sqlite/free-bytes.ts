import { statfsSync } from 'node:fs'

/** What whoever is not root may still write to the disk of a folder. Throws with Node's code. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
