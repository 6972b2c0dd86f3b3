import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename } from 'node:path'
import { IncompatibleDatabase } from '../../../infrastructure/database/outage.ts'
import { prepareRestore } from '../../../infrastructure/sqlite/backups/restore.ts'
import { migrateSqlite, openDatabase } from '../../../infrastructure/sqlite/database.ts'
import { migrateCopied } from '../../../infrastructure/sqlite/migration-backup.ts'
import { applyMigrations, MIGRATIONS } from '../../../infrastructure/sqlite/migrations.ts'
import { NOON } from '../../support/fakes.ts'
import {
  addRows,
  bytesOf,
  countRows,
  modeOf,
  oldDatabase,
  reasonOf,
} from '../../support/stores/sold-database.ts'

const NAMES = MIGRATIONS.map(({ name }) => name)
const BROKEN = { name: '9000_broken', sql: 'CREATE TABLE half (id INTEGER); SELECT nonsense' }

function historyOf(path: string): unknown[] {
  const client = new Database(path, { readonly: true })
  const names = client.prepare('SELECT name FROM schema_migrations ORDER BY name').values().flat()
  client.close(true)
  return names
}

/** As a newer executable would that comes with a migration of no use. */
function migrateBroken(path: string) {
  const client = new Database(path)
  try {
    return migrateCopied(client, [...MIGRATIONS, BROKEN])
  } finally {
    client.close(true)
  }
}

describe('before an existing database is migrated', () => {
  test.each([1, 2, 3])(
    'a copy of it as it was is put beside it, readable by its owner alone: after %i migrations',
    (applied) => {
      const { path, folder } = oldDatabase(applied)
      const copy = `${path}.before-${NAMES[applied]}`

      expect(migrateSqlite(path)).toEqual({
        applied: NAMES.slice(applied),
        version: NAMES.at(-1)!,
        copy,
      })
      expect(historyOf(copy)).toEqual(NAMES.slice(0, applied))
      expect(historyOf(path)).toEqual(NAMES)
      expect([countRows(copy), countRows(path)]).toEqual([1, 1])
      expect(modeOf(copy)).toBe('600')
      expect(readdirSync(folder).toSorted()).toEqual(['alibi.db', basename(copy)])
    },
  )

  test('the caller that opens it learns of the migration', () => {
    const { path } = oldDatabase()
    const told: unknown[] = []
    const onMigrated = (migrated: unknown) => void told.push(migrated)
    openDatabase(path, { onMigrated }).close()
    openDatabase(path, { onMigrated }).close()
    expect(told).toEqual([{ applied: NAMES.slice(1), copy: `${path}.before-${NAMES[1]}` }])
  })

  test('the copy can be restored, and migrated again', () => {
    const { path } = oldDatabase()
    const { copy } = migrateSqlite(path)
    addRows(path, 4)
    const prepared = prepareRestore({ databasePath: path, file: copy! })
    expect(prepared.version).toBe(NAMES[0]!)
    prepared.carryOut(NOON)
    prepared.end()
    expect(historyOf(path)).toEqual(NAMES.slice(0, 1))
    expect(countRows(path)).toBe(1)
    expect(migrateSqlite(path).applied).toEqual(NAMES.slice(1))
  })

  test('one that is the same already is enough, and another one is kept beside it', () => {
    const { path, folder } = oldDatabase()
    const first = `${path}.before-${BROKEN.name}`
    migrateSqlite(path)
    rmSync(`${path}.before-${NAMES[1]}`)
    for (let start = 0; start < 3; start++) {
      expect(reasonOf(() => migrateBroken(path))).toStartWith(
        `it could not be migrated, and a copy of it as it was is ${first}: `,
      )
    }
    addRows(path, 1)
    const bytes = bytesOf(first)
    expect(reasonOf(() => migrateBroken(path))).toContain(`as it was is ${first}.2: `)

    expect(bytesOf(first)).toBe(bytes)
    expect([countRows(first), countRows(`${first}.2`), countRows(path)]).toEqual([1, 2, 2])
    expect(readdirSync(folder).length).toBe(3)
  })

  test('a migration that fails leaves it as it was, and says where the copy is', () => {
    const { path } = oldDatabase(NAMES.length)
    expect(reasonOf(() => migrateBroken(path))).toBe(
      `it could not be migrated, and a copy of it as it was is ${path}.before-9000_broken: no such column: nonsense`,
    )
    expect(historyOf(path)).toEqual(NAMES)
    expect(migrateSqlite(path).applied).toEqual([])
  })

  test('nothing is migrated when no copy can be made', () => {
    const { path } = oldDatabase()
    const client = new Database(path)
    client.run('PRAGMA foreign_keys = OFF')
    client.run('CREATE TABLE a (id INTEGER PRIMARY KEY, other INTEGER REFERENCES a (id))')
    client.run('INSERT INTO a VALUES (1, 7)')
    client.close(true)
    const before = bytesOf(path)

    expect(reasonOf(() => migrateSqlite(path))).toBe(
      'nothing was migrated: no copy of it as it is could be put beside it: the copy is damaged: row 1 of a refers to nothing',
    )
    expect(bytesOf(path)).toBe(before)
    expect(existsSync(`${path}.before-${NAMES[1]}`)).toBe(false)
  })

  test('a file in the way of the copy is left as it is', () => {
    const { path } = oldDatabase()
    writeFileSync(`${path}.before-${NAMES[1]}`, 'somebody else’s')
    expect(migrateSqlite(path).copy).toBe(`${path}.before-${NAMES[1]}.2`)
    expect(Bun.file(`${path}.before-${NAMES[1]}`).text()).resolves.toBe('somebody else’s')
  })

  test('an unreadable file in the place of the copy does not prevent the migration', () => {
    const { path } = oldDatabase()
    mkdirSync(`${path}.before-${NAMES[1]}`)
    expect(migrateSqlite(path).copy).toBe(`${path}.before-${NAMES[1]}.2`)
  })

  test('the copy that root makes belongs to the owner of the database', () => {
    if (process.geteuid?.() !== 0) {
      process.stdout.write('not tested here: whose the copy is that root makes (needs root)\n')
      return
    }
    const { path } = oldDatabase()
    chownSync(path, 4242, 4243)
    const { copy } = migrateSqlite(path)
    expect(statSync(copy!)).toMatchObject({ uid: 4242, gid: 4243 })
    expect(modeOf(copy!)).toBe('600')
  })

  test('a migration that does not fit what is there says so for good, and one without room does not', () => {
    const { path } = oldDatabase(NAMES.length)
    expect(() => migrateBroken(path)).toThrow(IncompatibleDatabase)
    const client = new Database(path)
    client.run(`PRAGMA max_page_count = ${client.prepare('PRAGMA page_count').values()[0]?.[0]}`)
    const large = 'CREATE TABLE large (bytes BLOB); INSERT INTO large VALUES (zeroblob(1000000))'
    const withoutRoom = () =>
      migrateCopied(client, [...MIGRATIONS, { name: '9001_large', sql: large }])
    expect(withoutRoom).toThrow('it could not be migrated, and a copy of it as it was is')
    expect(withoutRoom).not.toThrow(IncompatibleDatabase)
    client.close(true)
    expect(historyOf(path)).toEqual(NAMES)
  })
})

test('a database in which nothing is yet needs no copy', () => {
  const { path, folder } = oldDatabase()
  const client = new Database(path)
  client.run('DELETE FROM log_outs')
  client.close(true)
  expect(migrateSqlite(path)).toMatchObject({ applied: NAMES.slice(1), copy: null })
  expect(readdirSync(folder)).toEqual(['alibi.db'])
})

test('a new database needs no copy, nor does one that lacks nothing', () => {
  const { path, folder } = oldDatabase(NAMES.length)
  expect(migrateSqlite(path).copy).toBeNull()
  rmSync(path)
  expect(migrateSqlite(path)).toMatchObject({ applied: NAMES, copy: null })
  const memory = new Database(':memory:')
  applyMigrations(memory, MIGRATIONS.slice(0, 1))
  expect(migrateCopied(memory, MIGRATIONS).copy).toBeNull()
  expect(readdirSync(folder)).toEqual(['alibi.db'])
})

test('a database that a newer executable has migrated names the copy to go back to', () => {
  const { path } = oldDatabase(NAMES.length)
  const copy = `${path}.before-9001_future`
  const newer = new Database(path)
  const future = { name: '9001_future', sql: 'CREATE TABLE future (id INTEGER)' }
  expect(migrateCopied(newer, [...MIGRATIONS, future]).copy).toBe(copy)
  newer.close(true)

  const refused = `the database ${path} is newer than this executable: it has the migration 9001_future, the executable knows those up to ${NAMES.at(-1)}; install the newer executable again, or restore `
  expect(reasonOf(() => migrateSqlite(path))).toBe(refused + copy)
  rmSync(copy)
  expect(reasonOf(() => migrateSqlite(path))).toBe(`${refused}a backup from before that`)
})
