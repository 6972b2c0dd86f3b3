import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Migration } from '../../../infrastructure/database/migration-history.ts'
import { IncompatibleDatabase } from '../../../infrastructure/database/outage.ts'
import { migrateSqlite } from '../../../infrastructure/sqlite/database.ts'
import { applyMigrations, MIGRATIONS } from '../../../infrastructure/sqlite/migrations.ts'
import { openCurrentSqliteStore, openSqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const USERS: Migration = {
  name: '0001_users',
  sql: `CREATE TABLE users (id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE pets (
      id INTEGER PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE
    ) STRICT;`,
}
const ROWS: Migration = {
  name: '0002_rows',
  sql: 'INSERT INTO users (id) VALUES (1); INSERT INTO pets (id, owner) VALUES (1, 1);',
}
const REBUILD: Migration = {
  name: '0003_rebuild',
  sql: `CREATE TABLE new_users (id INTEGER PRIMARY KEY, name TEXT) STRICT;
    INSERT INTO new_users (id) SELECT id FROM users;
    DROP TABLE users;
    ALTER TABLE new_users RENAME TO users;`,
}

describe('migrations', () => {
  test('are applied in order, once, and recorded with their hash and the time', () => {
    const client = inMemory()
    const before = Date.now()

    expect(applyMigrations(client, [USERS, ROWS])).toEqual(['0001_users', '0002_rows'])
    expect(applyMigrations(client, [USERS, ROWS])).toEqual([])
    expect(applyMigrations(client, [USERS, ROWS, REBUILD])).toEqual(['0003_rebuild'])

    const history = client
      .prepare<{ name: string; sha256: string; applied_at: number }, []>(
        'SELECT * FROM schema_migrations ORDER BY name',
      )
      .all()
    expect(history.map(({ name, sha256 }) => [name, sha256])).toEqual(
      [USERS, ROWS, REBUILD].map(({ name, sql }) => [name, hash(sql)]),
    )
    for (const { applied_at } of history) {
      expect(applied_at).toBeGreaterThanOrEqual(before)
      expect(applied_at).toBeLessThanOrEqual(Date.now())
    }
  })

  test('keep the rows that refer to a table that is rebuilt', () => {
    const client = inMemory()
    client.run('PRAGMA foreign_keys = ON')
    applyMigrations(client, [USERS, ROWS, REBUILD])

    expect(client.prepare('SELECT id, owner FROM pets').all()).toEqual([{ id: 1, owner: 1 }])
  })

  test('leave foreign keys enforced, also when one of them fails', () => {
    const client = inMemory()
    client.run('PRAGMA foreign_keys = ON')
    applyMigrations(client, [USERS])
    const broken = { name: '0002_broken', sql: 'SELECT nonsense' }
    expect(() => applyMigrations(client, [USERS, broken])).toThrow('nonsense')

    expect(() => client.run('INSERT INTO pets (id, owner) VALUES (7, 7)')).toThrow('FOREIGN KEY')
  })

  test('are undone whole when they fail, and leave those before them in place', () => {
    const client = inMemory()
    const broken = {
      name: '0002_broken',
      sql: 'CREATE TABLE half (id INTEGER) STRICT; INSERT INTO nowhere VALUES (1);',
    }
    expect(() => applyMigrations(client, [USERS, broken])).toThrow('nowhere')

    expect(tableNames(client)).toEqual(['pets', 'schema_migrations', 'users'])
    expect(applyMigrations(client, [USERS, ROWS])).toEqual(['0002_rows'])
  })

  test('are undone when they leave a row that refers to nothing', () => {
    const client = inMemory()
    const orphan = { name: '0002_orphan', sql: 'INSERT INTO pets (id, owner) VALUES (7, 7);' }

    expect(() => applyMigrations(client, [USERS, orphan])).toThrow('0002_orphan')
    expect(client.prepare('SELECT * FROM pets').all()).toEqual([])
  })

  test('are applied also when they were merged after a later one', () => {
    const client = inMemory()
    const late = { name: '0001a_late', sql: 'CREATE TABLE late (id INTEGER) STRICT' }
    applyMigrations(client, [USERS, ROWS])

    expect(applyMigrations(client, [USERS, late, ROWS])).toEqual(['0001a_late'])
  })

  test('refuse a database whose migration is not the executable’s, and name both', () => {
    const client = inMemory()
    applyMigrations(client, [USERS])
    const changed = { ...USERS, sql: 'CREATE TABLE users (id TEXT) STRICT' }

    const refused = catchError(() => applyMigrations(client, [changed, ROWS]))
    expect(refused).toBeInstanceOf(IncompatibleDatabase)
    expect(refused.message).toContain('0001_users')
    expect(refused.message).toContain(hash(USERS.sql))
    expect(refused.message).toContain(hash(changed.sql))
    expect(refused.message).toContain(client.filename)
    expect(client.prepare('SELECT * FROM users').all()).toEqual([])
  })

  test('refuse a database newer than the executable, name both, and apply nothing', () => {
    const client = inMemory()
    applyMigrations(client, [USERS, REBUILD])

    const refused = catchError(() => applyMigrations(client, [USERS, ROWS]))
    expect(refused).toBeInstanceOf(IncompatibleDatabase)
    expect(refused.message).toContain('0003_rebuild')
    expect(refused.message).toContain('0002_rows')
    expect(client.prepare('SELECT * FROM users').all()).toEqual([])
  })

  test('do not mind the tables of others, such as those of a backup tool', () => {
    const client = inMemory()
    client.run('CREATE TABLE _litestream_seq (id INTEGER)')

    expect(applyMigrations(client, MIGRATIONS)).toEqual(MIGRATIONS.map(({ name }) => name))
  })
})

describe('migrateSqlite', () => {
  test('says what it applied and which version the database has now', () => {
    const path = join(temporaryFolder(), 'new', 'alibi.db')
    const names = MIGRATIONS.map(({ name }) => name)

    expect(migrateSqlite(path)).toEqual({ applied: names, version: names.at(-1)!, copy: null })
    expect(migrateSqlite(path)).toEqual({ applied: [], version: names.at(-1)!, copy: null })
  })

  test('is no work of a command beside the service, which refuses the older database', () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const client = new Database(path)
    applyMigrations(client, MIGRATIONS.slice(0, -1))
    client.close(true)

    const refused = catchError(() => openCurrentSqliteStore(path))
    expect(refused).toBeInstanceOf(IncompatibleDatabase)
    expect(refused.message).toContain(MIGRATIONS.at(-1)!.name)
    expect(refused.message).toContain('alibi migrate')
    expect(migrateSqlite(path).applied).toEqual([MIGRATIONS.at(-1)!.name])
    openCurrentSqliteStore(path).close()
  })

  test('refuses a newer database as opening it does, and lets go of it', () => {
    const path = join(temporaryFolder(), 'alibi.db')
    migrateSqlite(path)
    const client = new Database(path)
    client.run("INSERT INTO schema_migrations VALUES ('9999_future', 'hash', 0)")
    client.close(true)

    expect(() => migrateSqlite(path)).toThrow(IncompatibleDatabase)
    expect(() => openSqliteStore(path)).toThrow(IncompatibleDatabase)
    const again = new Database(path)
    again.run('PRAGMA locking_mode = EXCLUSIVE')
    again.run("DELETE FROM schema_migrations WHERE name = '9999_future'")
    again.close(true)
    expect(migrateSqlite(path).applied).toEqual([])
  })
})

function inMemory(): Database {
  return new Database(':memory:')
}

function tableNames(client: Database): readonly string[] {
  return client
    .prepare<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
    )
    .all()
    .map(({ name }) => name)
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function catchError(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('nothing was thrown')
}
