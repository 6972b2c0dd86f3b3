import { spawnSync } from 'node:child_process'
import { appendFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const CHUNK_BYTES = 64 * 1024

/** A small disk of its own at a folder, for as long as it is held. */
export type SmallDisk = {
  /** Leaves not a byte. */
  fill(): void
  free(): void
  [Symbol.dispose](): void
}

/** Null where the process may not mount one, which takes root. */
export function mountSmallDisk(folder: string, mebibytes: number): SmallDisk | null {
  const options = ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', folder]
  if (process.getuid?.() !== 0 || spawnSync('mount', options).status !== 0) return null
  const ballast = join(folder, 'ballast')
  return {
    fill() {
      writeFileSync(ballast, '')
      for (const bytes of [CHUNK_BYTES, 1024, 1]) appendUntilFull(ballast, Buffer.alloc(bytes, 1))
      const { bavail } = statfsSync(folder)
      if (bavail > 0) throw new Error(`${bavail} blocks are left`)
    },
    free: () => rmSync(ballast, { force: true }),
    // Lazily, for a process that is about to end may have files open on it.
    [Symbol.dispose]: () => void spawnSync('umount', ['-l', folder]),
  }
}

function appendUntilFull(path: string, chunk: Buffer): void {
  try {
    for (;;) appendFileSync(path, chunk)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
