import { closeSync, openSync, readFileSync } from 'node:fs'
import { hasCode } from './node-errors.ts'

/** Opens a file as `flags` say, uses it by its descriptor, and closes it. A new one may be read by its owner alone. */
export function withFile<Result>(
  path: string,
  flags: string | number,
  use: (file: number) => Result,
): Result {
  const file = openSync(path, flags, 0o600)
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}

/** The text of a file; null where there is none. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}
