import { afterAll, onTestFinished } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Where a folder may lie that other accounts have to enter, too: PostgreSQL and others refuse to run as root. */
const PLACES = [tmpdir(), '/tmp', '/var/tmp']

/** Where folders are made: TMPDIR, or for root the first that is open to everybody. */
export const PLACE = (process.getuid?.() === 0 ? PLACES.find(isOpen) : null) ?? tmpdir()

/** An empty folder, until the end of the block that uses it or until it is disposed of. */
export function openTemporaryFolder(name = 'test'): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(PLACE, `alibi-${name}-`))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** An empty folder of one test: the one that asks for it, or the one that a `beforeEach` asks for. */
export function temporaryFolder(): string {
  const folder = openTemporaryFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  return folder.path
}

/** An empty folder of all tests of the file or of the group that asks for it. */
export function sharedTemporaryFolder(): string {
  const folder = openTemporaryFolder()
  afterAll(() => folder[Symbol.dispose]())
  return folder.path
}

/** Whether every account may enter the folder, and read what in it is for all. */
export function isOpen(folder: string): boolean {
  if (((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o005) !== 0o005) return false
  return folder === dirname(folder) || isOpen(dirname(folder))
}
