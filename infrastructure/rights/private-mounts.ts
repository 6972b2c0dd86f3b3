import { closeSync, constants, fstatSync, mkdirSync, openSync } from 'node:fs'
import { openLibc } from '../libc.ts'

const FUNCTIONS = {
  unshare: { args: ['i32'], returns: 'i32' },
  mount: { args: ['ptr', 'ptr', 'ptr', 'u64', 'ptr'], returns: 'i32' },
} as const

// The same numbers on every architecture that Bun runs on (unshare(2), mount(2), open(2)).
const CLONE_NEWNS = 0x20000
const MS_NOSUID = 2
const MS_NODEV = 4
const MS_NOEXEC = 8
const MS_BIND = 4096
const MS_REC = 16_384
const MS_SLAVE = 1 << 19
const O_PATH = 0o10000000

/** Everybody may go through it, and only root may look into it. */
const PASSAGE_MODE = 0o711

// Why: docs/decisions.md#as-root-commands-act-as-the-owner-of-the-database
/**
 * Gives this process mounts of its own, in which nothing is left of `closed` but the way to the folder below it, and
 * everybody may go that way. Afterwards the owner of the folder gets to it where only root may enter a folder above it.
 * systemd does the same for a service with `DynamicUser=`. Nothing changes for other processes but those that this one
 * starts. It takes root, on the main thread, which is the one that opens files without a pause. Throws where the system
 * does not allow it, and where the folder is no longer the owner's.
 */
export function openPassage({
  closed,
  folder,
  uid,
}: {
  /** An absolute path without a link in it. */
  closed: string
  folder: string
  /** The owner of the folder. */
  uid: number
}): void {
  const { unshare, mount } = openLibc(FUNCTIONS)
  const mountAt = (source: string, target: string, type: string, flags: number, data = '') => {
    const text = (value: string) => Buffer.from(`${value}\0`)
    const result = mount(text(source), text(target), text(type), flags, text(data))
    if (result !== 0) throw new Error(`mount(2) fails for ${target}`)
  }
  if (unshare(CLONE_NEWNS) !== 0) throw new Error('unshare(2) fails')
  mountAt('none', '/', 'none', MS_REC | MS_SLAVE)

  const { O_DIRECTORY, O_NOFOLLOW } = constants
  const opened = openSync(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  try {
    if (fstatSync(opened).uid !== uid) throw new Error(`${folder} belongs to another user now`)
    const mode = `mode=0${PASSAGE_MODE.toString(8)}`
    mountAt('none', closed, 'tmpfs', MS_NOSUID | MS_NODEV | MS_NOEXEC, mode)
    makePassage(folder)
    mountAt(`/proc/self/fd/${opened}`, folder, 'none', MS_BIND | MS_REC)
  } finally {
    closeSync(opened)
  }
}

/** Whatever the umask of the caller forbids. */
function makePassage(folder: string): void {
  const umask = process.umask(0)
  try {
    mkdirSync(folder, { recursive: true, mode: PASSAGE_MODE })
  } finally {
    process.umask(umask)
  }
}
