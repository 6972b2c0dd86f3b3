import { expect, test } from 'bun:test'
import { until } from '../executable/until.ts'
import { hasPostgres } from './binaries.ts'
import { freshDatabase, openFreshDatabase } from './fresh-database.ts'
import { query } from './query.ts'
import { superuserUrl } from './server.ts'
import { postgresServer } from './shared-server.ts'

if (hasPostgres()) {
  test('the role of a fresh database may log in and change what is in it, and nothing else', async () => {
    const { url, superuserUrl } = await freshDatabase()
    await query(url, 'CREATE TABLE one (id integer)')
    expect(await query(url, 'SELECT id FROM one')).toEqual([])
    const rights = ['rolsuper', 'rolcreatedb', 'rolcreaterole', 'rolreplication', 'rolbypassrls']
    const roles = `SELECT ${rights} FROM pg_roles WHERE rolname = 'alibi'`
    expect(await query(superuserUrl, roles)).toEqual([
      Object.fromEntries(rights.map((right) => [right, false])),
    ])
  })

  test('a role that owns only its schema can fill that and make no other', async () => {
    const { url } = await freshDatabase({ owned: 'schema' })
    await query(url, 'CREATE TABLE one (id integer)')
    await expect(query(url, 'CREATE SCHEMA other')).rejects.toMatchObject({ code: '42501' })
  })

  test('a wrong password is refused', async () => {
    const { url } = await freshDatabase()
    const wrong = new URL(url)
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
  })

  test('databases with a template have what that has, and it is prepared once', async () => {
    let prepared = 0
    const template = {
      name: `template_${Bun.randomUUIDv7().replaceAll('-', '')}`,
      async prepare(url: string) {
        prepared++
        await query(url, 'CREATE TABLE counts AS SELECT 1 AS count')
      },
    }
    const both = await Promise.all([freshDatabase({ template }), freshDatabase({ template })])
    await query(both[0].url, 'UPDATE counts SET count = 2')
    expect(await query(both[1].url, 'SELECT count FROM counts')).toEqual([{ count: 1 }])
    expect(prepared).toBe(1)
  })

  test('a template whose preparation failed is prepared anew', async () => {
    const name = `template_${Bun.randomUUIDv7().replaceAll('-', '')}`
    const broken = { name, prepare: (url: string) => query(url, 'SELECT 1 / 0') }
    await expect(freshDatabase({ template: broken })).rejects.toMatchObject({ code: '22012' })
    const whole = { name, prepare: (url: string) => query(url, 'CREATE TABLE one (id integer)') }
    const { url } = await freshDatabase({ template: whole })
    expect(await query(url, 'SELECT id FROM one')).toEqual([])
  })

  test('texts are sorted by their bytes, or in another database as in English', async () => {
    const sorted = `SELECT string_agg(one, '' ORDER BY one) FROM (VALUES ('b'), ('C'), ('a')) t (one)`
    const [bytes, english] = [await freshDatabase(), await freshDatabase({ collation: 'en-US' })]
    expect(await query(bytes.url, sorted)).toEqual([{ string_agg: 'Cab' }])
    expect(await query(english.url, sorted)).toEqual([{ string_agg: 'abC' }])
  })

  test('a database that is disposed of is gone, whoever is connected', async () => {
    const { name, url, [Symbol.asyncDispose]: dispose } = await openFreshDatabase()
    const cut = query(url, 'SELECT pg_sleep(60)').catch((error) => error.code)
    const server = superuserUrl(await postgresServer(), 'postgres')
    const sleeping = `SELECT FROM pg_stat_activity WHERE datname = '${name}' AND wait_event = 'PgSleep'`
    await until('it sleeps', async () => (await query(server, sleeping)).length > 0)
    await dispose()
    expect(await cut).toBe('57P01')
    expect(await query(server, `SELECT FROM pg_database WHERE datname = '${name}'`)).toEqual([])
  })
}
