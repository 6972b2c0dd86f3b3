import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CARRIED_TABLES } from '../../../infrastructure/data-migration/carried-tables.ts'
import { openDatabase } from '../../../infrastructure/sqlite/database.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { hasPgBouncer, pgBouncer } from '../../support/postgres/pgbouncer.ts'
import { query } from '../../support/postgres/query.ts'
import { postgresServer } from '../../support/postgres/shared-server.ts'
import {
  changeDatabase,
  dump,
  fullDatabase,
  migrateData,
} from '../../support/stores/data-migrations.ts'
import { bytesOf } from '../../support/stores/sold-database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Characters of one to four bytes, in an order that no language has, and what JSON and arrays would have to quote. */
const NAMES = [
  'Zoe',
  'a',
  'b',
  'É',
  'ß',
  'ÿ',
  '€',
  '\u{fffd}',
  '😀',
  '"',
  '\\',
  '{NULL}',
  'NULL',
  ' ',
  ',',
]

if (hasPostgres()) {
  describe.each([['C'], ['en-US']] as const)(
    'on a PostgreSQL that sorts as %s does',
    (collation) => {
      test('everything comes back from it as it was', async () => {
        const path = fullDatabase(3)
        for (const name of NAMES) {
          changeDatabase(path, 'INSERT INTO log_outs VALUES (?, 1)', name)
          changeDatabase(
            path,
            'INSERT INTO operator_grants VALUES (?, ?, -62135596800001, 253402300800000)',
            name,
            `${name}@example.com`,
          )
        }
        // A newer entry was deleted after its three years.
        changeDatabase(path, "UPDATE sqlite_sequence SET seq = 9000 WHERE name = 'audit_entries'")
        const before = bytesOf(path)
        const { url } = await freshDatabase({ collation })
        const back = join(temporaryFolder(), 'made', 'alibi.db')

        const there = await migrateData({ from: `sqlite:${path}`, to: url })
        const andBack = await migrateData({ from: url, to: `sqlite:${back}` })

        expect(bytesOf(path)).toBe(before)
        expect(dump(back)).toBe(dump(path))
        expect(there.tables.map(({ name }) => name)).toEqual(CARRIED_TABLES.map(({ name }) => name))
        expect(there.tables.filter(({ source }) => source.rows === 0)).toEqual([])
        expect(there.tables.map(({ source }) => source)).toEqual(
          there.tables.map(({ target }) => target),
        )
        expect(andBack.tables).toEqual(there.tables)
      })
    },
  )

  test('more rows than a page has come over, each once', async () => {
    const path = fullDatabase(5001)
    const { url } = await freshDatabase()
    const { tables, steps } = await migrateData({ from: `sqlite:${path}`, to: url })
    expect(tables.find(({ name }) => name === 'otps')?.target.rows).toBe(5001)
    expect(await query(url, 'SELECT count(*) FROM otps')).toEqual([{ count: '5001' }])
    expect(steps).toContain('copying otps 5000')
    expect(steps).toContain('comparing otps 5000')
  })

  test('a new file is the owner’s alone, opens as the database of the service, and leaves nothing beside it', async () => {
    const { url } = await freshDatabase()
    await migrateData({ from: `sqlite:${fullDatabase(1)}`, to: url })
    const path = join(temporaryFolder(), 'alibi.db')
    await migrateData({ from: url, to: `sqlite:${path}` })
    expect(readdirSync(dirname(path))).toEqual(['alibi.db'])
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
    openDatabase(path, { isUpToDate: true }).close()
  })

  test('a database that a service has begun, and no customer, is filled', async () => {
    const path = fullDatabase(1)
    const { url } = await freshDatabase()
    const back = join(temporaryFolder(), 'alibi.db')
    openDatabase(back).close()
    changeDatabase(back, "INSERT INTO sweeps VALUES ('sessions', 5)")
    changeDatabase(back, 'INSERT INTO heartbeat VALUES (1, 5)')
    await migrateData({ from: `sqlite:${path}`, to: url })
    await migrateData({ from: url, to: `sqlite:${back}` })
    expect(dump(back)).toBe(dump(path))
  })

  test('both databases go on counting where the other one was', async () => {
    const path = fullDatabase(1)
    // A newer entry was deleted after its three years.
    changeDatabase(path, "UPDATE sqlite_sequence SET seq = 9000 WHERE name = 'audit_entries'")
    const { url } = await freshDatabase()
    const back = join(temporaryFolder(), 'alibi.db')
    await migrateData({ from: `sqlite:${path}`, to: url })
    const insert = `INSERT INTO audit_entries (at, by_whom, grant_id, email, reason, object_id, is_active)
      VALUES (now(), 'operator', 'g', 'e', 'r', 'o', true) RETURNING id`
    expect(await query(url, insert)).toEqual([{ id: '9001' }])
    const mail =
      'INSERT INTO service_mails (sent_at, had_premium) VALUES (now(), true) RETURNING id'
    expect(await query(url, mail)).toEqual([{ id: '8' }])
    await migrateData({ from: url, to: `sqlite:${back}` })
    changeDatabase(
      back,
      "INSERT INTO audit_entries (at, by_whom, grant_id, email, reason, object_id, is_active) VALUES (1, 'operator', 'g', 'e', 'r', 'o', 1)",
    )
    const client = new Database(back, { readonly: true })
    expect(client.query('SELECT max(id) AS id FROM audit_entries').get()).toEqual({ id: 9002 })
    client.close()
  })

  test('an installation without a row comes over, too', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    openDatabase(path).close()
    const { url } = await freshDatabase()
    const { tables } = await migrateData({ from: `sqlite:${path}`, to: url })
    expect(tables.filter(({ target }) => target.rows > 0).map(({ name }) => name)).toEqual([
      'log_out_epoch',
    ])
  })

  test('a backup can be the source, and stays the file that its checksum is about', async () => {
    const path = fullDatabase(1)
    const client = new Database(path)
    const backup = join(temporaryFolder(), 'backup.db')
    client.run('VACUUM INTO ?', [backup])
    client.close(true)
    const before = bytesOf(backup)
    const { url } = await freshDatabase()
    await migrateData({ from: `sqlite:${backup}`, to: url })
    expect(bytesOf(backup)).toBe(before)
    expect(readdirSync(dirname(backup))).toEqual(['backup.db'])
  })

  if (hasPgBouncer()) {
    test('a pooler in transaction mode may stand in between', async () => {
      const path = fullDatabase(2)
      const { name } = await freshDatabase()
      const bouncer = await pgBouncer({ to: await postgresServer(), poolSize: 2 })
      const back = join(temporaryFolder(), 'alibi.db')
      await migrateData({ from: `sqlite:${path}`, to: bouncer.url(name) })
      await migrateData({ from: bouncer.url(name), to: `sqlite:${back}` })
      expect(dump(back)).toBe(dump(path))
    })
  }

  test('a role that owns no more than its schema is enough', async () => {
    const { url } = await freshDatabase({ owned: 'schema' })
    const { tables } = await migrateData({ from: `sqlite:${fullDatabase(1)}`, to: url })
    expect(tables.every(({ target }) => target.rows > 0)).toBe(true)
  })
}
