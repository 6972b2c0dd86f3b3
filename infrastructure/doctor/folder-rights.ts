import type { Stats } from 'node:fs'

const SHARED_WRITE = 0o022

/** Whether a user can make files in the folder, as far as its owner and mode say. */
export function canMakeFiles(uid: number, folder: Pick<Stats, 'uid' | 'mode'>): boolean {
  return folder.uid === uid || uid === 0 || (folder.mode & SHARED_WRITE) !== 0
}
