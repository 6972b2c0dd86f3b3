import { Database } from 'bun:sqlite'
import { describe, expect, onTestFinished, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkDatabase } from '../../../application/doctor/database.ts'
import { HOUR_MS, SECOND_MS } from '../../../domain/duration.ts'
import { migrateSqlite } from '../../../infrastructure/sqlite/database.ts'
import { probeDatabase } from '../../../infrastructure/sqlite/database-probe.ts'
import { openSqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { fixedClock, NOON } from '../../support/fakes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('a database that is probed', () => {
  const clock = fixedClock()

  function openDatabaseFile(): string {
    const path = join(temporaryFolder(), 'alibi.db')
    migrateSqlite(path)
    return path
  }

  test('is read while another process writes, and after it was left', async () => {
    const path = openDatabaseFile()
    const store = openSqliteStore(path)
    expect(await probeDatabase(path, clock)).toMatchObject({
      trouble: null,
      content: { damage: [], danglingRows: 0, schema: { state: 'current' } },
    })
    store.close()
    const left = readdirSync(join(path, '..'))
    expect(await probeDatabase(path, clock)).toMatchObject({ trouble: null })
    expect(readdirSync(join(path, '..'))).toEqual(left)
  })

  test('is read with what only its log holds yet', async () => {
    const path = openDatabaseFile()
    const writer = new Database(path)
    writer.run('PRAGMA wal_autocheckpoint = 0')
    writer.run("INSERT INTO schema_migrations VALUES ('9999_late', 'x', 1)")
    const other = join(temporaryFolder(), 'alibi.db')
    copyFileSync(path, other)
    copyFileSync(`${path}-wal`, `${other}-wal`)
    writer.close()
    expect(await probeDatabase(other, clock)).toMatchObject({
      content: { schema: { state: 'newer', version: '9999_late' } },
    })
  })

  test('is waited for while another process has it for itself', async () => {
    const path = openDatabaseFile()
    const script = `const { Database } = require('bun:sqlite')
      const client = new Database(process.argv[1])
      client.run('PRAGMA locking_mode = EXCLUSIVE')
      client.run('BEGIN EXCLUSIVE')
      console.log('locked')
      setTimeout(() => client.close(), 300)`
    const holder = Bun.spawn([process.execPath, '-e', script, path], { stdout: 'pipe' })
    onTestFinished(async () => void (await holder.exited))
    const { value } = await holder.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toBe('locked\n')
    const startedAt = performance.now()
    const { trouble } = await probeDatabase(path, clock)
    // Unless the other process takes so long that the probe has waited for all its time.
    if (performance.now() - startedAt < 2 * SECOND_MS) expect(trouble).toBeNull()
  })

  test('has the rows counted that refer to none', async () => {
    const path = openDatabaseFile()
    const client = new Database(path)
    client.run('PRAGMA foreign_keys = OFF')
    client.run('CREATE TABLE child (id TEXT REFERENCES purchases (id))')
    client.run("INSERT INTO child VALUES ('pur_1'), ('pur_2'), (NULL)")
    client.close()
    expect((await probeDatabase(path, clock)).content).toMatchObject({ danglingRows: 2 })
  })

  test('has its damage reported although no statement has touched it', async () => {
    const path = openDatabaseFile()
    const writer = new Database(path)
    writer.run("INSERT INTO refunds VALUES ('re_1', 'pi_marked', 1, 'pending')")
    writer.run('PRAGMA journal_mode = DELETE')
    writer.close()
    const bytes = readFileSync(path)
    bytes.write('pi_market', bytes.lastIndexOf('pi_marked'))
    writeFileSync(path, bytes)

    const facts = await probeDatabase(path, clock)
    expect(facts.content?.damage.length).toBeGreaterThan(0)
    expect(checkDatabase(facts)[0]).toMatchObject({ name: 'database', level: 'failed' })
  })

  test.each<[string, (path: string) => void, object]>([
    ['there is none', () => {}, { file: null, content: null, trouble: null }],
    [
      'it is garbage',
      (path) => writeFileSync(path, 'x'.repeat(9000)),
      { trouble: 'SQLITE_NOTADB' },
    ],
    [
      'it is a folder',
      (path) => mkdirSync(path),
      { content: null, trouble: expect.stringMatching(/^SQLITE_/) },
    ],
    ['it is empty', (path) => writeFileSync(path, ''), { content: { schema: { state: 'empty' } } }],
    [
      'it is of something else',
      (path) => {
        const client = new Database(path)
        client.run('CREATE TABLE other (id INTEGER)')
        client.close()
      },
      { content: { schema: { state: 'foreign' }, work: null } },
    ],
  ])('is told for what it is where %s', async (_, make, facts) => {
    const path = join(temporaryFolder(), 'a folder?#%', 'alibi.db')
    mkdirSync(join(path, '..'))
    make(path)
    expect(await probeDatabase(path, clock)).toMatchObject({
      path,
      disk: { freeBytes: expect.any(Number) },
      ...facts,
    })
  })

  test('that is older, or has another migration of that name, is reported', async () => {
    const path = openDatabaseFile()
    const client = new Database(path)
    client.run("UPDATE schema_migrations SET sha256 = 'x' WHERE name = '0001_init'")
    expect(await probeDatabase(path, clock)).toMatchObject({
      content: { schema: { state: 'changed' } },
    })
    client.run("DELETE FROM schema_migrations WHERE name > '0001_init'")
    client.close()
    expect(await probeDatabase(path, clock)).toMatchObject({
      content: { schema: { state: 'older', version: '0001_init' }, work: null },
    })
  })

  test('that others can read, or that lies where its owner can make no file, is reported', async () => {
    const path = openDatabaseFile()
    expect((await probeDatabase(path, clock)).file).toMatchObject({
      isExposed: false,
      isFolderUsable: true,
    })
    chmodSync(path, 0o604)
    expect((await probeDatabase(path, clock)).file).toMatchObject({ isExposed: true })
  })

  test('that belongs to another user than its log or its folder is reported', async () => {
    if (process.getuid?.() !== 0) {
      process.stdout.write('not tested here: only root can give files away\n')
      return
    }
    const path = openDatabaseFile()
    writeFileSync(`${path}-wal`, 'x'.repeat(5000))
    chownSync(path, 12_345, 12_345)
    const examine = async () => (await probeDatabase(path, clock)).file
    const other = { foreignFiles: [`${path}-wal`], isFolderUsable: false, logBytes: 5000 }
    expect(await examine()).toMatchObject(other)
    chownSync(`${path}-wal`, 12_345, 12_345)
    chmodSync(join(path, '..'), 0o770)
    expect(await examine()).toMatchObject({ foreignFiles: [], isFolderUsable: true })
    chmodSync(join(path, '..'), 0o700)
    chownSync(join(path, '..'), 12_345, 12_345)
    expect(await examine()).toMatchObject({ isFolderUsable: true })
    chownSync(path, 0, 0)
    expect(await examine()).toMatchObject({ isFolderUsable: true })
  })

  test('tells what waits for the operator', async () => {
    const path = openDatabaseFile()
    expect(await probeDatabase(path, clock)).toMatchObject({
      content: { work: { givenUp: [], oldestMessageMs: null, purchasesInReview: 0 } },
    })
    const client = new Database(path)
    const message = (key: string, purchase: string, rest: string) =>
      client.run(`INSERT INTO outbox VALUES ('${key}', 'payment_confirmed', '${purchase}',
        'a@example.com', 'en', 400, 'eur', ${rest})`)
    const at = NOON.getTime()
    message('k1', 'p1', `${at - HOUR_MS}, 1, 'waiting', ${at}, NULL`)
    message('k2', 'p2', `${at - 3 * HOUR_MS}, 1, 'waiting', ${at}, NULL`)
    message('k3', 'p3', `${at - 9 * HOUR_MS}, 1, 'done', NULL, ${at}`)
    message('k4', 'p4', `${at - 9 * HOUR_MS}, 1, 'given_up', NULL, 1`)
    message('k5', 'p5', `${at - 9 * HOUR_MS}, 1, 'given_up', NULL, 2`)
    client.close()
    expect(await probeDatabase(path, clock)).toMatchObject({
      content: { work: { givenUp: ['p5', 'p4'], oldestMessageMs: 3 * HOUR_MS } },
    })
  })

  test('has its disk looked at before it is there', async () => {
    const path = join(temporaryFolder(), 'a', 'b', 'alibi.db')
    const { bavail, bsize } = statfsSync(tmpdir())
    const { disk } = await probeDatabase(path, clock)
    // Others write there, too.
    expect((disk?.freeBytes ?? 0) / (bavail * bsize)).toBeCloseTo(1, 1)
  })
})
