import { closeSync, fsyncSync, linkSync, openSync, readSync, writeSync } from 'node:fs'
import { hasCode } from './node-errors.ts'

const CHUNK_BYTES = 1024 * 1024

/**
 * Copies what can be read, from a path or from an open file's beginning, into a new file that only its owner may read
 * and that survives a power cut, and returns the SHA-256 of what was copied.
 */
export function copyIntoNewFile(source: string | number, target: string): string {
  const output = openSync(target, 'wx', 0o600)
  try {
    const sha256 = readInChunks(source, (chunk) => writeWhole(output, chunk))
    fsyncSync(output)
    return sha256
  } finally {
    closeSync(output)
  }
}

/** In hexadecimal. */
export function sha256OfFile(path: string): string {
  return readInChunks(path, () => {})
}

/** Writes a new file that only its owner may read, and that survives a power cut. */
export function writeNewFile(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeWhole(file, Buffer.from(text))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Makes the content of a file, or the names in a folder, survive a power cut. */
export function makeDurable(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/**
 * Gives the file another name, `path` or the first free one of `path.2`, `path.3` and so on, and returns that. Nothing
 * is ever overwritten.
 */
export function linkUnderFreeName(file: string, path: string): string {
  for (let number = 1; ; number++) {
    const name = numberedName(path, number)
    try {
      linkSync(file, name)
      return name
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}

/** The names that `linkUnderFreeName` tries, from 1. */
export function numberedName(path: string, number: number): string {
  return number === 1 ? path : `${path}.${number}`
}

function readInChunks(source: string | number, take: (chunk: Uint8Array) => void): string {
  if (typeof source === 'number') return readWhole(source, take)
  const input = openSync(source, 'r')
  try {
    return readWhole(input, take)
  } finally {
    closeSync(input)
  }
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
