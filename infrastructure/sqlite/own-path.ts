import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * Where the file of a database lies, absolute. Where the path is a link it is another place, and that is where SQLite
 * keeps the log, and what has to be on the same disk. A link that leads nowhere stands for itself.
 */
export function ownPath(path: string): string {
  const absolutePath = resolve(path)
  if (!existsSync(absolutePath)) return absolutePath
  return lstatSync(absolutePath).isSymbolicLink() ? realpathSync(absolutePath) : absolutePath
}
