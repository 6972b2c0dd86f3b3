import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chownSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Unavailable } from '../../../application/unavailable.ts'
import { checkSqlite } from '../../../infrastructure/doctor/sqlite.ts'
import { backUpDatabase } from '../../../infrastructure/sqlite/backups/backup.ts'
import { migrateSqlite } from '../../../infrastructure/sqlite/database.ts'
import { openSqliteStore, sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { fixedClock, NOON_EPOCH } from '../../support/fakes.ts'
import { ANNA } from '../../support/stores/contract-purchases.ts'
import {
  countRows,
  oldDatabase,
  reasonOf,
  soldDatabase,
} from '../../support/stores/sold-database.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const NOBODY = 65_534

/** A link to the database in a folder of its own. */
function linkTo(path: string): string {
  const link = join(temporaryFolder(), 'link.db')
  symlinkSync(path, link)
  return link
}

describe('where the path of the database is a link', () => {
  test('nothing is stored any more once the log beside the file itself is gone', async () => {
    const { path } = soldDatabase()
    const store = sqliteStore(openTemporaryDatabase(linkTo(path)))
    await store.databaseHealth.checkWritable()
    rmSync(`${path}-wal`)

    await expect(store.databaseHealth.check()).rejects.toBeInstanceOf(Unavailable)
    const stored = store.logOuts.update(ANNA, () => NOON_EPOCH)
    await expect(stored).rejects.toBeInstanceOf(Unavailable)
  })

  test('its sizes are those of the file itself and its log', async () => {
    const { path } = soldDatabase()
    const store = sqliteStore(openTemporaryDatabase(linkTo(path)))
    await store.logOuts.update(ANNA, () => NOON_EPOCH)
    expect((await store.statistics.measureFiles())?.logBytes).toBeGreaterThan(0)
  })

  test('a look at it while it is in use sees what is only in its log', async () => {
    const { path } = soldDatabase()
    const link = linkTo(path)
    const user = new Database(link)
    user.run('CREATE TABLE filler (bytes BLOB)')
    user.run('INSERT INTO filler VALUES (zeroblob(100000))')
    user.run('PRAGMA wal_checkpoint(PASSIVE)')
    user.run('DELETE FROM filler')
    const [finding] = await checkSqlite(link, fixedClock())
    user.close(true)
    expect(finding?.text).toMatch(/, whole, schema \d{4}_/)
  })

  test('the copy that a migration leaves is beside the file itself', () => {
    const { path, folder } = oldDatabase()
    const link = linkTo(path)
    const { copy } = migrateSqlite(link)
    expect(copy).toStartWith(`${path}.before-`)
    expect(countRows(copy!)).toBe(1)
    expect(readdirSync(join(link, '..'))).toEqual(['link.db'])
    expect(readdirSync(folder)).toHaveLength(2)
  })

  test('no backup takes the name of its log', () => {
    const { path } = soldDatabase()
    const backUp = () => backUpDatabase({ databasePath: linkTo(path), file: `${path}-wal` })
    expect(reasonOf(backUp)).toBe(`${path}-wal is a name that SQLite itself uses`)
  })

  test('one that leads nowhere makes no database', () => {
    const folder = temporaryFolder()
    const link = linkTo(join(folder, 'none.db'))
    expect(() => migrateSqlite(link)).toThrow('ENOENT')
    expect(readdirSync(folder)).toEqual([])
  })
})

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
