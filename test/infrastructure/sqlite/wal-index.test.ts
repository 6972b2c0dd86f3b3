import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { IN_MEMORY } from '../../../infrastructure/sqlite/database.ts'
import { watchWalIndex } from '../../../infrastructure/sqlite/wal-index.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const STORE = 'INSERT INTO log_outs VALUES (hex(randomblob(8)), 1)'

/** Stores a row in a process of its own. */
function storeElsewhere(path: string): void {
  const program = `new (require('bun:sqlite').Database)(${JSON.stringify(path)}).run(${JSON.stringify(STORE)})`
  expect(Bun.spawnSync([process.execPath, '-e', program]).exitCode).toBe(0)
}

function open() {
  const path = join(temporaryFolder(), 'alibi.db')
  const database = openTemporaryDatabase(path)
  const hasChanged = watchWalIndex(path)
  if (!hasChanged) throw new Error('no index of the log was found')
  hasChanged()
  return { path, database, hasChanged }
}

test('another process, another connection and our own change the index with each commit', async () => {
  const { path, database, hasChanged } = open()
  const other = openTemporaryDatabase(path)
  const commits = [
    () => storeElsewhere(path),
    () => other.write(() => other.queries.$client.run(STORE)),
    () => database.write(() => database.queries.$client.run(STORE)),
  ]
  for (const commit of [...commits, ...commits]) {
    await commit()
    expect([hasChanged(), hasChanged()]).toEqual([true, false])
  }
})

test('nothing that is not committed changes it', async () => {
  const { database, hasChanged } = open()
  const { $client } = database.queries
  $client.run('BEGIN IMMEDIATE')
  $client.run(STORE)
  expect(hasChanged()).toBe(false)
  $client.run('ROLLBACK')
  await database.read(() => $client.prepare('SELECT * FROM log_outs').all())
  expect(hasChanged()).toBe(false)
})

test('a log that begins again is not mistaken for the one before', async () => {
  const { path, database, hasChanged } = open()
  for (let round = 0; round < 3; round++) {
    database.queries.$client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    storeElsewhere(path)
    expect(hasChanged()).toBe(true)
  }
})

test('where there is no such index, there is nothing to watch', () => {
  expect(watchWalIndex(IN_MEMORY)).toBeNull()
  expect(watchWalIndex(join(temporaryFolder(), 'none.db'))).toBeNull()
  const { path } = open()
  expect(watchWalIndex(`${path}-wal`)).toBeNull()
})
