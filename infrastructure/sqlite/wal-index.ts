import { type Pointer, read } from 'bun:ffi'
import { readFileSync, statSync } from 'node:fs'

/** The format that is read here: "Always 3007000", https://www.sqlite.org/walformat.html#the_wal_index_file_format. */
const FORMAT = 3_007_000

/** The header has a number of changes, the number of frames, checksums and salts: a commit changes it all. */
const WORDS = 12
const WORD_BYTES = 4

/** Whether the header is another one than at the last call. Only while the connection is open. */
export type WalIndexWatch = () => boolean

// Why: docs/decisions.md#facts-are-remembered-until-somebody-commits
/**
 * Watches the index of the write-ahead log, which SQLite shares with all processes in memory: every commit changes its
 * header before it returns. Looks where SQLite has put it into this process, and opens no file: to close it would drop
 * SQLite's locks. Null where it is not to be found, such as without a file, without Linux, or in another format.
 */
export function watchWalIndex(path: string): WalIndexWatch | null {
  const address = findMapping(`${path}-shm`)
  if (address === null || read.u32(address, 0) !== FORMAT) return null
  const known = new Uint32Array(WORDS)
  return () => {
    let isChanged = false
    for (let word = 0; word < WORDS; word++) {
      const now = read.u32(address, word * WORD_BYTES)
      if (now !== known[word]) isChanged = true
      known[word] = now
    }
    return isChanged
  }
}

/** Where the beginning of a file lies in this process's memory; proc_pid_maps(5). */
function findMapping(file: string): Pointer | null {
  const stats = statSync(file, { throwIfNoEntry: false })
  const line = stats && readMappings().find((one) => isBeginningOf(one, stats.ino, file))
  return line ? (Number.parseInt(line, 16) as Pointer) : null
}

/** "7f1f21391000-7f1f21399000 rw-s 00000000 fe:00 9980257    /var/lib/alibi/alibi.db-shm" */
function isBeginningOf(line: string, inode: number, file: string): boolean {
  const [, access = '', offset = '', , ino = '', ...path] = line.split(/\s+/)
  return (
    access.endsWith('s') &&
    Number.parseInt(offset, 16) === 0 &&
    ino === String(inode) &&
    path.join(' ') === file
  )
}

function readMappings(): readonly string[] {
  try {
    return readFileSync('/proc/self/maps', 'utf8').split('\n')
  } catch {
    return []
  }
}
