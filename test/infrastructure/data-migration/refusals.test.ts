import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { loadDatabaseAt } from '../../../infrastructure/config/config.ts'
import { openPostgresSource } from '../../../infrastructure/postgres/data-migration/postgres-source.ts'
import { openPostgresTarget } from '../../../infrastructure/postgres/data-migration/postgres-target.ts'
import { LOCK_OUT_MIGRATIONS } from '../../../infrastructure/postgres/migrations.ts'
import { openDatabase } from '../../../infrastructure/sqlite/database.ts'
import { applyMigrations, MIGRATIONS } from '../../../infrastructure/sqlite/migrations.ts'
import { tryServingLock } from '../../../infrastructure/sqlite/serving-lock.ts'
import { until } from '../../support/executable/until.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { query } from '../../support/postgres/query.ts'
import {
  changeDatabase,
  dump,
  fullDatabase,
  migrateData,
  refusal,
} from '../../support/stores/data-migrations.ts'
import { MIGRATED } from '../../support/stores/postgres-store.ts'
import { bytesOf, oldDatabase } from '../../support/stores/sold-database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const REPLICA = `INSERT INTO replicas (id, version, started_at, seen_at)
  VALUES (gen_random_uuid(), '1.0.0', clock_timestamp(), clock_timestamp())`
const GRANT = "INSERT INTO operator_grants VALUES ('g', 'ada@example.com', now(), NULL)"
const TABLES = "SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'public'"

function configOf(url: string) {
  const config = loadDatabaseAt({ env: {}, readFile: () => '' }, { name: '--from', url })
  if (config.kind === 'postgres') return config
  throw new Error('it is no PostgreSQL')
}

describe('two databases of one kind', () => {
  test.each([
    ['sqlite:/a.db', 'sqlite:/b.db', 'alibi backup'],
    ['postgres://a@b/c', 'postgresql://a@d/e', 'pg_dump'],
  ])('%s and %s are refused, with what does it instead', async (from, to, advice) => {
    expect(await refusal(migrateData({ from, to }))).toContain(advice)
  })

  test('are refused where one is env, and none is set', async () => {
    const both = migrateData({ from: 'sqlite:/a.db', to: 'env' })
    expect(await refusal(both)).toContain('--env-file')
  })
})

describe('a database that is written wrongly', () => {
  test('is refused by the name of its option, and nothing of it is quoted', async () => {
    const wrong = 'postgres://alibi:pass/word@db.example/alibi?sslmode=secret'
    const line = await refusal(migrateData({ from: 'sqlite:/a.db', to: wrong }))
    expect(line).toStartWith('--to must ')
    expect(line).not.toMatch(/pass|word@|db\.example|secret/)
  })
})

if (hasPostgres()) {
  describe('a source of SQLite', () => {
    test('that is not there is not made', async () => {
      const path = join(temporaryFolder(), 'alibi.db')
      const { url } = await freshDatabase()
      expect(await refusal(migrateData({ from: `sqlite:${path}`, to: url }))).toBe(
        `there is no database at ${path}`,
      )
      expect(existsSync(path)).toBe(false)
    })

    test('that a service has is refused', async () => {
      const path = fullDatabase(1)
      const lock = tryServingLock(path)
      const { url } = await freshDatabase()
      expect(await refusal(migrateData({ from: `sqlite:${path}`, to: url }))).toBe(
        `the database ${path} is in use by a service: stop that first`,
      )
      lock?.release()
      await migrateData({ from: `sqlite:${path}`, to: url })
    })

    test('that is not migrated is left as it is', async () => {
      const { path } = oldDatabase(MIGRATIONS.length - 1)
      const before = bytesOf(path)
      const { url } = await freshDatabase()
      expect(await refusal(migrateData({ from: `sqlite:${path}`, to: url }))).toContain(
        'run "alibi migrate"',
      )
      expect(bytesOf(path)).toBe(before)
      expect(await query(url, TABLES)).toEqual([{ tables: 0 }])
    })

    test.each([
      ['of a newer release', "INSERT INTO schema_migrations VALUES ('9999_new', 'a', 0)", 'newer'],
      ['with other migrations', "UPDATE schema_migrations SET sha256 = 'a'", 'not the one'],
      ['that lacks a column', 'ALTER TABLE verifications DROP COLUMN code_challenge', 'lacks'],
    ])('%s is refused', async (_, sql, words) => {
      const path = fullDatabase(1)
      changeDatabase(path, sql)
      const { url } = await freshDatabase()
      const line = await refusal(migrateData({ from: `sqlite:${path}`, to: url }))
      expect(line).toContain(`the database ${path}`)
      expect(line).toContain(words)
    })

    test('that is damaged is refused', async () => {
      const path = join(temporaryFolder(), 'alibi.db')
      writeFileSync(path, 'garbage '.repeat(1000))
      const { url } = await freshDatabase()
      expect(await refusal(migrateData({ from: `sqlite:${path}`, to: url }))).toStartWith(
        `the database ${path} cannot be used: `,
      )
    })

    test('with a row that PostgreSQL cannot hold is refused, and nothing is copied', async () => {
      const path = fullDatabase(2)
      changeDatabase(
        path,
        "UPDATE operator_grants SET email = 'secret' || char(0) || '@example.com'",
      )
      const { url } = await freshDatabase({ template: MIGRATED })
      const line = await refusal(migrateData({ from: `sqlite:${path}`, to: url }))
      expect(line).toMatch(/^nothing was copied: operator_grants\.email of the row with id "grant_/)
      expect(line).not.toContain('secret')
      expect(await query(url, 'SELECT * FROM otps')).toEqual([])
    })
  })

  describe('a target of PostgreSQL', () => {
    test('that holds a customer’s data is refused, and left as it is', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      await query(url, GRANT)
      const line = await refusal(migrateData({ from: `sqlite:${fullDatabase(1)}`, to: url }))
      expect(line).toEndWith(' holds data already, in operator_grants')
      expect(line).not.toContain(new URL(url).password)
      expect(await query(url, 'SELECT * FROM otps')).toEqual([])
    })

    test('that holds data is not even migrated', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      await query(url, GRANT)
      await query(url, "DELETE FROM schema_migrations WHERE name <> '0001_init'")
      await query(url, 'DROP TABLE replicas, leases')
      await refusal(migrateData({ from: `sqlite:${fullDatabase(1)}`, to: url }))
      expect(await query(url, 'SELECT name FROM schema_migrations')).toEqual([
        { name: '0001_init' },
      ])
    })

    test('on which a service runs is refused', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      await query(url, REPLICA)
      const line = await refusal(migrateData({ from: `sqlite:${fullDatabase(1)}`, to: url }))
      expect(line).toContain(' is in use by a service: stop that first')
    })

    test('of a newer release is refused', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      await query(url, "INSERT INTO schema_migrations VALUES ('9999_new', 'a', now())")
      const line = await refusal(migrateData({ from: `sqlite:${fullDatabase(1)}`, to: url }))
      expect(line).toContain('is newer than this executable')
    })

    test('that cannot be reached, or refuses the password, is named without it', async () => {
      const { url } = await freshDatabase()
      const wrong = new URL(url)
      wrong.password = 'wrong-and-secret'
      const closed = new URL(wrong)
      closed.port = '1'
      for (const to of [wrong.href, closed.href]) {
        const line = await refusal(migrateData({ from: `sqlite:${fullDatabase(1)}`, to }))
        expect(line).toStartWith('the database postgres://alibi@127.0.0.1:')
        expect(line).toContain(' cannot be used: ')
        expect(line).not.toContain('secret')
      }
    })

    test('whose tables belong to another role is refused', async () => {
      const { url, superuserUrl } = await freshDatabase({ template: MIGRATED })
      await query(superuserUrl, 'ALTER TABLE audit_entries OWNER TO postgres')
      await query(superuserUrl, 'GRANT ALL ON audit_entries TO alibi')
      const line = await refusal(migrateData({ from: `sqlite:${fullDatabase(1)}`, to: url }))
      expect(line).toContain(' does not own its tables')
    })

    test('keeps services that start waiting, until it is whole', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      const target = await openPostgresTarget(configOf(url))
      const service = await connect(url)
      await expect(service.query(LOCK_OUT_MIGRATIONS)).rejects.toMatchObject({ code: '55P03' })
      await target.commit()
      await service.query(LOCK_OUT_MIGRATIONS)
      await service.end()
    })

    test('is asked for services after it is locked, so that none slips through', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      const service = await connect(url)
      await service.query('BEGIN')
      await service.query(LOCK_OUT_MIGRATIONS)
      const opening = refusal(openPostgresTarget(configOf(url)))
      await untilLocked(url)
      await query(url, REPLICA)
      await service.query('COMMIT')
      expect(await opening).toContain(' is in use by a service')
      await service.end()
    })
  })

  describe('a source of PostgreSQL', () => {
    async function filled() {
      const { url } = await freshDatabase({ template: MIGRATED })
      await query(url, GRANT)
      return { url, to: `sqlite:${join(temporaryFolder(), 'alibi.db')}` }
    }

    test('keeps services that start waiting, until it is closed', async () => {
      const { url } = await filled()
      const source = await openPostgresSource(configOf(url))
      const service = await connect(url)
      await expect(service.query(LOCK_OUT_MIGRATIONS)).rejects.toMatchObject({ code: '55P03' })
      await source.close()
      await service.query(LOCK_OUT_MIGRATIONS)
      await service.end()
    })

    test('is read as it was at one moment', async () => {
      const { url } = await filled()
      const source = await openPostgresSource(configOf(url))
      await query(url, "INSERT INTO log_outs VALUES ('later@example.com', 1)")
      const table = { name: 'log_outs', key: ['email'], hasCountedKey: false, initialRows: null }
      const columns = [{ name: 'email', kind: 'text' as const }]
      const page = { after: null, limit: 10 }
      expect(await source.readPage({ ...table, columns }, page)).toEqual([])
      await source.close()
    })

    test('whose tables belong to another role is copied all the same', async () => {
      const { url, superuserUrl } = await freshDatabase()
      await migrateData({ from: `sqlite:${fullDatabase(1)}`, to: url })
      const path = join(temporaryFolder(), 'alibi.db')
      await query(superuserUrl, 'ALTER TABLE audit_entries OWNER TO postgres')
      await query(superuserUrl, 'GRANT SELECT ON audit_entries TO alibi')
      const { tables } = await migrateData({ from: url, to: `sqlite:${path}` })
      expect(tables.every(({ target }) => target.rows > 0)).toBe(true)
    })

    test('on which a service runs is refused', async () => {
      const { url, to } = await filled()
      await query(url, REPLICA)
      await query(url, REPLICA)
      expect(await refusal(migrateData({ from: url, to }))).toContain(
        ' is in use by 2 services: stop them first',
      )
    })

    test('that is not migrated is refused, and nothing is left of the target', async () => {
      const { url } = await freshDatabase()
      const path = join(temporaryFolder(), 'alibi.db')
      const line = await refusal(migrateData({ from: url, to: `sqlite:${path}` }))
      expect(line).toContain('lacks the migration 0001_init')
      expect(readdirSync(dirname(path))).toEqual([])
    })

    test.each([
      ['operator_grants', "UPDATE operator_grants SET granted_at = 'infinity'"],
      ['operator_grants', "UPDATE operator_grants SET granted_at = '294276-01-01'"],
      ['refunds', "INSERT INTO refunds VALUES ('re', 'pi', 9007199254740992, 'pending')"],
    ])('with a row of %s that SQLite cannot give to us is refused: %s', async (table, sql) => {
      const { url, to } = await filled()
      await query(url, sql)
      const line = await refusal(migrateData({ from: url, to }))
      expect(line).toMatch(new RegExp(`^nothing was copied: ${table}\\.`))
      expect(readdirSync(dirname(to.replace('sqlite:', '')))).toEqual([])
    })
  })

  describe('a target of SQLite', () => {
    async function source() {
      const { url } = await freshDatabase({ template: MIGRATED })
      await query(url, GRANT)
      return url
    }

    test('that holds a customer’s data is refused, and left as it is', async () => {
      const path = fullDatabase(1)
      const before = dump(path)
      expect(await refusal(migrateData({ from: await source(), to: `sqlite:${path}` }))).toBe(
        `the database ${path} holds data already, in otps`,
      )
      expect(dump(path)).toBe(before)
    })

    test('of an older release that holds data is not even migrated', async () => {
      const { path } = oldDatabase(1)
      const before = bytesOf(path)
      await refusal(migrateData({ from: await source(), to: `sqlite:${path}` }))
      expect(bytesOf(path)).toBe(before)
      expect(readdirSync(dirname(path))).toEqual(['alibi.db'])
    })

    test('that a service has is refused', async () => {
      const path = join(temporaryFolder(), 'alibi.db')
      openDatabase(path).close()
      const lock = tryServingLock(path)
      const line = await refusal(migrateData({ from: await source(), to: `sqlite:${path}` }))
      expect(line).toBe(`the database ${path} is in use by a service: stop that first`)
      lock?.release()
    })

    test('whose log alone is there is refused', async () => {
      const path = join(temporaryFolder(), 'alibi.db')
      writeFileSync(`${path}-wal`, 'what is left of another database')
      const line = await refusal(migrateData({ from: await source(), to: `sqlite:${path}` }))
      expect(line).toBe(`${path}-wal has lost its database: move it away first`)
    })

    test('that another process has made meanwhile is left as it is', async () => {
      const path = join(temporaryFolder(), 'alibi.db')
      const client = new Database(path.replace('alibi.db', 'other.db'))
      applyMigrations(client, MIGRATIONS)
      client.close(true)
      const { openSqliteTarget } = await import(
        '../../../infrastructure/sqlite/data-migration/sqlite-target.ts'
      )
      const target = openSqliteTarget(path)
      writeFileSync(path, 'the other one')
      expect(() => target.commit()).toThrow(`another process has made ${path} meanwhile`)
      await target.abandon()
      expect(readdirSync(dirname(path)).toSorted()).toEqual(['alibi.db', 'other.db'])
    })
  })
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  await client.connect()
  return client
}

function untilLocked(url: string): Promise<void> {
  const waiting =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  return until('somebody waits for the lock', async () => (await query(url, waiting)).length > 0)
}
