import { writeSync } from 'node:fs'
import { hasCode } from '../files/node-errors.ts'
import type { Sink } from './line-writer.ts'

/**
 * Standard output. A pipe or a socket that nobody reads has no room: Bun makes it non-blocking when it makes
 * `process.stdout`. A file or a terminal takes everything.
 */
export function standardOutput(): Sink {
  const { fd } = process.stdout
  return (bytes) => {
    try {
      return writeSync(fd, bytes)
    } catch (error) {
      if (hasCode(error, 'EAGAIN')) return 0
      throw error
    }
  }
}
