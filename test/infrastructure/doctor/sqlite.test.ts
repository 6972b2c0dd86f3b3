import { Database } from 'bun:sqlite'
import { describe, expect, onTestFinished, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { HOUR_MS, SECOND_MS } from '../../../domain/duration.ts'
import { checkSqlite } from '../../../infrastructure/doctor/sqlite.ts'
import { migrateSqlite } from '../../../infrastructure/sqlite/database.ts'
import { openSqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { fixedClock, NOON } from '../../support/fakes.ts'
import { linesOf } from '../../support/findings.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const found = async (path: string) => linesOf(await checkSqlite(path, fixedClock()))
/** Without what is well. */
const troubles = async (path: string) =>
  (await found(path)).filter((line) => !line.startsWith('ok '))

describe('a SQLite database', () => {
  function openDatabaseFile(): string {
    const path = join(temporaryFolder(), 'alibi.db')
    migrateSqlite(path)
    return path
  }

  test('is read while another process writes, and after it was left', async () => {
    const path = openDatabaseFile()
    const store = openSqliteStore(path)
    const well = [
      expect.stringMatching(/^ok database: .+\/alibi\.db, \d+ kB, whole, schema \d{4}_\w+$/),
      expect.stringMatching(/^ok disk: .+ free$/),
      'ok purchases: none waits for you',
      'ok outbox: nothing is stuck',
    ]
    expect(await found(path)).toEqual(well)
    store.close()
    const left = readdirSync(join(path, '..'))
    expect(await found(path)).toEqual(well)
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
    expect(await troubles(other)).toEqual([
      expect.stringMatching(/^failed database: .+ newer than this executable: .+ 9999_late/),
    ])
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
    const lines = await troubles(path)
    // Unless the other process takes so long that the check has waited for all its time.
    if (performance.now() - startedAt < 2 * SECOND_MS) expect(lines).toEqual([])
    else expect(lines).toEqual([expect.stringMatching(/is locked by another process/)])
  })

  test('has the rows counted that refer to none', async () => {
    const path = openDatabaseFile()
    const client = new Database(path)
    client.run('PRAGMA foreign_keys = OFF')
    client.run('CREATE TABLE child (id TEXT REFERENCES purchases (id))')
    client.run("INSERT INTO child VALUES ('pur_1'), ('pur_2'), (NULL)")
    client.close()
    expect(await troubles(path)).toEqual([
      'failed database: 2 rows refer to a row that is not there',
    ])
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
    expect(await troubles(path)).toEqual([
      expect.stringMatching(/^failed database: .+\/alibi\.db is damaged: /),
    ])
  })

  test.each<[string, (path: string) => void, RegExp]>([
    ['there is none', () => {}, /^warning database: there is none at .+ yet$/],
    [
      'it is garbage',
      (path) => writeFileSync(path, 'x'.repeat(9000)),
      /^failed database: .+ is damaged, or no database \(SQLITE_NOTADB\)$/,
    ],
    [
      'it is a folder',
      (path) => mkdirSync(path, { mode: 0o700 }),
      /^failed database: .+ cannot be read \(SQLITE_/,
    ],
    [
      'it is empty',
      (path) => writeFileSync(path, '', { mode: 0o600 }),
      /^warning database: .+ is empty$/,
    ],
    [
      'it is of something else',
      (path) => {
        const client = new Database(path)
        client.run('CREATE TABLE other (id INTEGER)')
        client.close()
      },
      /^failed database: .+ is the database of something else$/,
    ],
  ])('is told for what it is where %s', async (_, make, line) => {
    const path = join(temporaryFolder(), 'a folder?#%', 'alibi.db')
    mkdirSync(join(path, '..'))
    make(path)
    const lines = await found(path)
    expect(lines).toContainEqual(expect.stringMatching(line))
    expect(lines).toContainEqual(expect.stringMatching(/^ok disk: /))
  })

  test('that is older, or has another migration of that name, is reported', async () => {
    const path = openDatabaseFile()
    const client = new Database(path)
    client.run("UPDATE schema_migrations SET sha256 = 'x' WHERE name = '0001_init'")
    expect(await troubles(path)).toEqual([
      expect.stringMatching(/^failed database: .+ 0001_init .+ is not the one of this executable/),
    ])
    client.run("DELETE FROM schema_migrations WHERE name < '0002'")
    client.close()
    expect(await troubles(path)).toEqual([
      expect.stringMatching(/^warning database: .+ is older than .+: it lacks 0001_init$/),
    ])
  })

  test('that others can read, or whose log has grown without an end, is reported', async () => {
    const path = openDatabaseFile()
    chmodSync(path, 0o604)
    expect(await troubles(path)).toEqual([expect.stringMatching(/^warning .+others .+ get at/)])
    writeFileSync(`${path}-wal`, '')
    truncateSync(`${path}-wal`, 300 * 1024 * 1024)
    expect(await troubles(path)).toContainEqual(
      expect.stringMatching(/^warning database: the log beside it has grown to 314\.6 MB/),
    )
  })

  test('that belongs to another user than its log or its folder is reported', async () => {
    if (process.getuid?.() !== 0) {
      process.stdout.write('not tested here: only root can give files away\n')
      return
    }
    const path = openDatabaseFile()
    writeFileSync(`${path}-wal`, '')
    chownSync(path, 12_345, 12_345)
    const folder = join(path, '..')
    expect(await troubles(path)).toEqual([
      expect.stringContaining(`${path}-wal belongs to another user than ${path}`),
      expect.stringContaining('cannot make files beside it'),
    ])
    chownSync(`${path}-wal`, 12_345, 12_345)
    chmodSync(folder, 0o770)
    expect(await troubles(path)).toEqual([])
    chmodSync(folder, 0o700)
    chownSync(folder, 12_345, 12_345)
    expect(await troubles(path)).toEqual([])
  })

  test('tells what waits for the operator', async () => {
    const path = openDatabaseFile()
    const client = new Database(path)
    const message = (key: string, purchase: string, rest: string) =>
      client.run(`INSERT INTO outbox VALUES ('${key}', 'payment_confirmed', '${purchase}',
        'a@example.com', 'en', 400, 'eur', ${rest})`)
    const at = NOON.getTime()
    message('k1', 'p1', `${at - HOUR_MS}, 1, 'waiting', ${at}, NULL`)
    message('k3', 'p3', `${at - 9 * HOUR_MS}, 1, 'done', NULL, ${at}`)
    expect(await troubles(path)).toEqual([])
    message('k2', 'p2', `${at - 3 * HOUR_MS}, 1, 'waiting', ${at}, NULL`)
    for (const number of [4, 5, 6, 7]) {
      const ended = `${at - 9 * HOUR_MS}, 1, 'given_up', NULL, ${number}`
      message(`k${number}`, `p${number}`, ended)
    }
    client.close()
    expect(await troubles(path)).toEqual([
      'warning outbox: mails or refunds were given up, of the purchases p7, p6, p5, …',
      'warning outbox: a mail or a refund has been waiting for 3 hours',
    ])
  })
})
