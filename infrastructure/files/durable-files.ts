import { fsyncSync, linkSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { codeOf, hasCode } from './node-errors.ts'
import { withFile } from './open-file.ts'

const CHUNK_BYTES = 1024 * 1024

/** What link(2) fails with where a file can have one name only. */
const SECOND_NAME_REFUSED = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/**
 * Copies what can be read, from a path or from an open file's beginning, into a new file that only its owner may read
 * and that survives a power cut, and returns the SHA-256 of what was copied.
 */
export function copyIntoNewFile(source: string | number, target: string): string {
  return withFile(target, 'wx', (output) => {
    const sha256 = readInChunks(source, (chunk) => writeWhole(output, chunk))
    fsyncSync(output)
    return sha256
  })
}

/** In hexadecimal. */
export function sha256OfFile(path: string): string {
  return readInChunks(path, () => {})
}

/** Writes a new file that only its owner may read, and that survives a power cut. */
export function writeNewFile(path: string, text: string): void {
  withFile(path, 'wx', (file) => {
    writeWhole(file, Buffer.from(text))
    fsyncSync(file)
  })
}

/** Makes the content of a file, or the names in a folder, survive a power cut. */
export function makeDurable(path: string): void {
  withFile(path, 'r', fsyncSync)
}

/**
 * Gives a finished draft its name. Throws with EEXIST where that is taken: nothing is ever overwritten. The draft may
 * still be there afterwards, or not.
 */
export function publishNew(draft: string, path: string): void {
  try {
    // Unlike a rename, a link never replaces a file.
    linkSync(draft, path)
  } catch (error) {
    if (!isSecondNameRefused(error)) throw error
    // Who has made this empty file has the name, and replaces nothing but that.
    withFile(path, 'wx', () => {})
    try {
      renameSync(draft, path)
    } catch (failure) {
      rmSync(path)
      throw failure
    }
  }
}

/** Whether the file system gives files no second name, as FAT, exFAT and many over a network or of a host do. */
export function isSecondNameRefused(error: unknown): boolean {
  return SECOND_NAME_REFUSED.includes(String(codeOf(error)))
}

/**
 * Names a file by `give`, which throws with EEXIST where a name is taken: `path`, or the first free one of `path.2`,
 * `path.3` and so on. Returns that.
 */
export function underFreeName(path: string, give: (name: string) => void): string {
  for (let number = 1; ; number++) {
    const name = numberedName(path, number)
    try {
      give(name)
      return name
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}

/** The names that `underFreeName` tries, from 1. */
export function numberedName(path: string, number: number): string {
  return number === 1 ? path : `${path}.${number}`
}

function readInChunks(source: string | number, take: (chunk: Uint8Array) => void): string {
  if (typeof source === 'number') return readWhole(source, take)
  return withFile(source, 'r', (input) => readWhole(input, take))
}

function readWhole(input: number, take: (chunk: Uint8Array) => void): string {
  const hash = new Bun.CryptoHasher('sha256')
  const buffer = new Uint8Array(CHUNK_BYTES)
  for (let position = 0; ; ) {
    const bytes = readSync(input, buffer, 0, CHUNK_BYTES, position)
    if (bytes === 0) return hash.digest('hex')
    const chunk = buffer.subarray(0, bytes)
    hash.update(chunk)
    take(chunk)
    position += bytes
  }
}

/** A nearly full disk takes only a part of what is written at once. */
function writeWhole(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written)
  }
}
