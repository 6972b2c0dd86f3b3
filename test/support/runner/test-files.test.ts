import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.ts'
import { needsPostgres } from './test-files.ts'

/** Whether `test/one.test.ts` of a checkout with these files needs the PostgreSQL of the run. */
function needs(files: Record<string, string>): boolean {
  const root = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return needsPostgres(root, ['test/one.test.ts'])
}

const SERVER = { 'test/support/postgres/shared-server.ts': '' }

test.each([
  ["import { postgresServer } from './support/postgres/shared-server.ts'"],
  ["import {\n  postgresServer,\n} from './support/postgres/shared-server.ts'"],
  ["const { postgresServer } = await import('./support/postgres/shared-server.ts')"],
])('a file that imports the shared PostgreSQL needs it: %s', (text) => {
  expect(needs({ ...SERVER, 'test/one.test.ts': text })).toBe(true)
})

test('a file that imports it through others needs it, also where those import each other', () => {
  expect(
    needs({
      ...SERVER,
      'test/one.test.ts': "import './support/stores.ts'",
      'test/support/stores.ts': "import './postgres/shared-server.ts'\nimport '../one.test.ts'",
    }),
  ).toBe(true)
})

test('a file that imports something else does not need it, even if that is not there', () => {
  const text = "import '../domain/otp.ts'\nimport './missing.ts'\nimport 'pg'"
  expect(needs({ ...SERVER, 'test/one.test.ts': text })).toBe(false)
})
