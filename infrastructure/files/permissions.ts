import type { Stats } from 'node:fs'

const OTHERS = 0o007
const SHARED_WRITE = 0o022

/** Whether users other than the owner and those of the group may read, write or enter it. */
export function isOpenToOthers({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & OTHERS) !== 0
}

/** Whether users other than the owner may write it. */
export function isWritableByOthers({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & SHARED_WRITE) !== 0
}

/** Whether a user can make files in the folder, as far as its owner and mode say. */
export function canMakeFiles(uid: number, folder: Pick<Stats, 'uid' | 'mode'>): boolean {
  return folder.uid === uid || uid === 0 || isWritableByOthers(folder)
}
