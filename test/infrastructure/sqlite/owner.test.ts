import { expect, test } from 'bun:test'
import { chownSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const NOBODY = 65_534

if (process.geteuid?.() !== 0) {
  process.stdout.write('not tested here: whose the files are that root makes (needs root)\n')
} else {
  test('a database that root makes in the folder of another user is that user’s, with all beside it', () => {
    const folder = temporaryFolder()
    chownSync(folder, NOBODY, NOBODY)
    const store = openSqliteStore(join(folder, 'alibi.db'))
    try {
      const owners = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).uid])
      expect(owners.sort()).toEqual([
        ['alibi.db', NOBODY],
        ['alibi.db-shm', NOBODY],
        ['alibi.db-wal', NOBODY],
      ])
    } finally {
      store.close()
    }
  })
}
