import { constants, fstatSync, writeSync } from 'node:fs'
import { hasCode } from '../files/node-errors.ts'
import { openLibc } from '../libc.ts'
import type { Sink } from './line-writer.ts'

export const STANDARD_OUTPUT = 1

const LIBC_FUNCTIONS = { fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' } } as const

// The same numbers on every architecture that Bun runs on (fcntl(2)).
const F_GETFL = 3
const F_SETFL = 4

/** Standard output. A pipe or a socket that nobody reads has no room. A file or a terminal takes everything. */
export function standardOutput(): Sink {
  const kind = fstatSync(STANDARD_OUTPUT)
  if (kind.isFIFO() || kind.isSocket()) stopWaiting()
  return (bytes) => {
    try {
      return writeSync(STANDARD_OUTPUT, bytes)
    } catch (error) {
      if (hasCode(error, 'EAGAIN')) return 0
      throw error
    }
  }
}

/** Bun would do the same when it makes `process.stdout`, but loads all of node's streams for that. */
function stopWaiting(): void {
  try {
    const { fcntl } = openLibc(LIBC_FUNCTIONS)
    const flags = fcntl(STANDARD_OUTPUT, F_GETFL, 0)
    if (fcntl(STANDARD_OUTPUT, F_SETFL, flags | constants.O_NONBLOCK) === 0) return
  } catch {
    // Where code must not be made at run time, libc cannot be called.
  }
  void process.stdout.fd
}
