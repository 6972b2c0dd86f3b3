import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishNew } from '../files/durable-files.ts'
import { hasCode } from '../files/node-errors.ts'
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
  const secret = readSecret(path) ?? createSecret(path)
  if (!SECRET_TEXT.test(secret)) {
    throw new Error(`${path} does not hold a secret that Alibi made: remove it for a new one`)
  }
  return secret
}

function readSecret(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Returns the secret that is kept in the end: its own, or that of another process that was faster. */
function createSecret(path: string): string {
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  writeFileSync(draft, randomBytes(SECRET_BYTES).toString('base64url'), { mode: 0o600, flag: 'wx' })
  try {
    publishNew(draft, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(path, 'utf8').trim()
}
