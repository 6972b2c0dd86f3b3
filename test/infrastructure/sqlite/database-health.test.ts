import { describe, expect, jest, test } from 'bun:test'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SECOND_MS } from '../../../domain/duration.ts'
import { openSqliteStore, sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { whenLate } from '../../support/stopped-timers.ts'
import { ANNA } from '../../support/stores/contract-purchases.ts'
import { everyWrite, expectOutage, saveMessage } from '../../support/stores/every-method.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('the health of a SQLite database', () => {
  test('is fine while the database answers from the file at its path', async () => {
    const store = sqliteStore(openTemporaryDatabase())

    expect(await store.databaseHealth.check()).toBeUndefined()
    expect(await store.databaseHealth.checkWritable()).toBeUndefined()
  })

  test.each(['', '-wal'])(
    'is bad once its file alibi.db%s is gone, though SQLite would go on writing',
    async (suffix) => {
      const path = join(temporaryFolder(), 'alibi.db')
      const store = sqliteStore(openTemporaryDatabase(path))
      await saveMessage(store)
      rmSync(path + suffix)

      await expectOutage(store.databaseHealth.check())
      for (const call of everyWrite(store)) await expectOutage(call())
    },
  )

  test('is bad for commits alone while another process writes, and says so within its own time', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const writer = openTemporaryDatabase(path)
    const { databaseHealth } = sqliteStore(openTemporaryDatabase(path))
    writer.queries.$client.run('BEGIN IMMEDIATE')

    await databaseHealth.check()
    expect(databaseHealth.lastWriteFailed()).toBe(false)
    const checking = () => expectOutage(databaseHealth.checkWritable())
    const isWaiting = () => jest.getTimerCount() > 0
    expect(await whenLate(2 * SECOND_MS, checking, isWaiting)).toBe('SQLITE_BUSY')
    expect(databaseHealth.lastWriteFailed()).toBe(true)
    writer.queries.$client.run('ROLLBACK')
    await databaseHealth.checkWritable()
    expect(databaseHealth.lastWriteFailed()).toBe(false)
  })

  test('is not doubtful because a rule has refused a write', async () => {
    const store = sqliteStore(openTemporaryDatabase())
    const refused = store.logOuts.update(ANNA, () => {
      throw new Error('refused')
    })
    await expect(refused).rejects.toThrow('refused')
    expect(store.databaseHealth.lastWriteFailed()).toBe(false)
  })

  test('makes a commit of its own each time, so that one that fails is seen', async () => {
    const database = openTemporaryDatabase()
    const { databaseHealth } = sqliteStore(database)
    const heartbeats = () => database.queries.$client.prepare('SELECT * FROM heartbeat').all()
    await databaseHealth.checkWritable()
    await databaseHealth.checkWritable()
    expect(heartbeats()).toEqual([{ id: 1, at: expect.any(Number) }])

    database.queries.$client.run('PRAGMA query_only = ON')
    expect(await expectOutage(databaseHealth.checkWritable())).toBe('SQLITE_READONLY')
    await databaseHealth.check()
  })

  test('is bad once another file has taken the place of its own', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'alibi.db')
    const store = sqliteStore(openTemporaryDatabase(path))
    openSqliteStore(join(folder, 'other.db')).close()
    renameSync(join(folder, 'other.db'), path)

    await expectOutage(store.databaseHealth.check())
  })
})
