import { afterAll, onTestFinished } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder, until the end of the block that uses it or until it is disposed of. */
export function openTemporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'alibi-test-'))
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
