import { readIfThere } from '../../files/open-file.ts'

/** Where the checksum of a file lies. */
export function checksumPath(file: string): string {
  return `${file}.sha256`
}

/** As `sha256sum` writes it, and `sha256sum --check` reads it in the folder of the file. */
export function checksumLine(sha256: string, name: string): string {
  const escaped = name.replace(/[\\\n\r]/g, (character) => ESCAPES[character] ?? character)
  return `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' }

/** The SHA-256 that the file has to have. Null without a checksum beside it; throws for one that makes no sense. */
export function readChecksum(file: string): string | null {
  const path = checksumPath(file)
  const text = readIfThere(path)
  if (text === null) return null
  // The name in it may be another one: a backup that is renamed takes its checksum along.
  const [, sha256] = /^\\?([0-9a-f]{64}) [ *][^\n]+\n?$/i.exec(text) ?? []
  if (sha256 === undefined) throw new Error(`${path} is not a checksum as sha256sum writes it`)
  return sha256.toLowerCase()
}
