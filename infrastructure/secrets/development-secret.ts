import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeNewFile } from '../files/durable-files.ts'
import { readIfThere } from '../files/open-file.ts'
import { placeNewFile } from '../files/replace-file.ts'
import { randomBytes } from './random.ts'

const FILE_NAME = 'jwt-secret'
const SECRET_BYTES = 32
/** 32 bytes in base64url. */
const SECRET_TEXT = /^[\w-]{43}$/

/**
 * The secret of a development server, kept in the directory so that its tokens outlive a restart, readable by its owner
 * only. Several processes that start for the first time at once get the same secret.
 */
export function developmentSecret(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, FILE_NAME)
  const secret = (readIfThere(path) ?? createSecret(path)).trim()
  if (!SECRET_TEXT.test(secret)) {
    throw new Error(`${path} does not hold a secret that Alibi made: remove it for a new one`)
  }
  return secret
}

/** Returns the secret that is kept in the end: its own, or that of another process that was faster. */
function createSecret(path: string): string {
  placeNewFile(path, (draft) =>
    writeNewFile(draft, randomBytes(SECRET_BYTES).toString('base64url')),
  )
  return readFileSync(path, 'utf8')
}
