import { spawnSync } from 'node:child_process'
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachePath, makeDraft } from '../checkout-cache.ts'
import { PATIENCE_MS } from '../patience.ts'

// Debian's libfaketime stands between a program and its clock, also after the program has started.

const UNPACKED = cachePath('libfaketime')

export type FakeClock = {
  /** What the program is started with. */
  readonly env: Readonly<Record<string, string>>
  /** From now on its clock is off by so much, such as `+3d`; `+0` is the machine's own time. */
  set(offset: string): void
}

/** The clock of one program, which a file in the folder sets. Null where the library cannot be found. */
export function fakeClock(folder: string): FakeClock | null {
  const library = findLibrary('/usr') ?? findLibrary(UNPACKED) ?? fetchLibrary()
  if (library === null) return null
  const file = join(folder, 'clock')
  function set(offset: string) {
    // Whole at once, since the program reads it all the time.
    writeFileSync(`${file}.new`, `${offset}\n`)
    renameSync(`${file}.new`, file)
  }
  set('+0')
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Timers go by this one, and would stand still.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  }
}

function findLibrary(root: string): string | null {
  const lib = join(root, root === '/usr' ? 'lib' : 'usr/lib')
  const folders = listFolder(lib).map((name) => join(lib, name, 'faketime'))
  const folder = folders.find((one) => listFolder(one).includes('libfaketime.so.1'))
  return folder ? join(folder, 'libfaketime.so.1') : null
}

/** Takes the package apart, and installs nothing. */
function fetchLibrary(): string | null {
  const folder = makeDraft()
  try {
    const options = { cwd: folder, timeout: PATIENCE_MS } as const
    if (spawnSync('apt-get', ['download', 'libfaketime'], options).status !== 0) return null
    const [deb] = listFolder(folder).filter((name) => name.endsWith('.deb'))
    if (deb === undefined || spawnSync('dpkg', ['-x', deb, '.'], options).status !== 0) return null
    rmSync(UNPACKED, { recursive: true, force: true })
    renameSync(folder, UNPACKED)
    return findLibrary(UNPACKED)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Nothing where there is no such folder. */
function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
