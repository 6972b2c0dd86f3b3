import { expect, jest, onTestFinished, test } from 'bun:test'
import { Client } from 'pg'
import { SECOND_MS } from '../../../../domain/duration.ts'
import type { PostgresDatabase } from '../../../../infrastructure/postgres/connection/database.ts'
import { until } from '../../../support/executable/until.ts'
import { hasPostgres } from '../../../support/postgres/binaries.ts'
import { freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { openDatabase } from '../../../support/postgres/open-database.ts'
import { ownCluster } from '../../../support/postgres/own-cluster.ts'
import { hasPgBouncer, pgBouncer } from '../../../support/postgres/pgbouncer.ts'
import { query } from '../../../support/postgres/query.ts'
import { roleUrl, superuserUrl } from '../../../support/postgres/server.ts'
import { postgresServer } from '../../../support/postgres/shared-server.ts'
import { tcpProxy } from '../../../support/postgres/tcp-proxy.ts'
import { stopTimers, turn } from '../../../support/stopped-timers.ts'

const SHORT = { DATABASE_TIMEOUT: '1s' }
const PID = 'SELECT pg_backend_pid() AS pid'
const UNAVAILABLE = 'storage unavailable'

type Backend = { readonly pid: number }

/** So many statements at the same time, which takes as many connections. */
async function backendsOf({ query }: PostgresDatabase, count: number): Promise<number[]> {
  const asked = Array.from({ length: count }, () =>
    query<Backend>('SELECT pg_backend_pid() AS pid FROM pg_sleep(0.05)'),
  )
  return (await Promise.all(asked)).map(([row]) => row?.pid ?? 0).toSorted()
}

/** How many statements of others wait for a lock in the database. */
async function countWaiting(superuserUrl: string): Promise<number> {
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return (await query(superuserUrl, waiting)).length
}

async function lockTable(url: string): Promise<Client> {
  await query(url, 'CREATE TABLE locked (id integer)')
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('BEGIN; LOCK TABLE locked')
  return client
}

if (hasPostgres()) {
  test.each([
    ['by itself', ({ query }: PostgresDatabase) => query('INSERT INTO locked VALUES (1)')],
    [
      'in a transaction',
      ({ write }: PostgresDatabase) =>
        write([], ({ query }) => query('INSERT INTO locked VALUES (1)')),
    ],
  ])(
    'a statement %s that takes too long ends on the server, too, and costs no connection that is used meanwhile',
    async (_, insert) => {
      const { url, superuserUrl } = await freshDatabase()
      const database = openDatabase(url, SHORT)
      const client = await lockTable(url)
      {
        using _ = stopTimers()
        const inserted = insert(database)
        inserted.catch(() => {})
        while ((await countWaiting(superuserUrl)) === 0) await turn()
        const used = await backendsOf(database, 3)
        // A statement by itself is ended by its caller, one in a transaction by the server.
        jest.advanceTimersByTime(1.1 * SECOND_MS)
        await expect(inserted).rejects.toThrow(UNAVAILABLE)
        expect(await backendsOf(database, 4)).toEqual(expect.arrayContaining(used))
      }
      await until('nothing waits', async () => (await countWaiting(superuserUrl)) === 0)
      await client.query('ROLLBACK')
      expect(await query(url, 'SELECT FROM locked')).toEqual([])
    },
  )

  test('connections over TLS are asked to end what takes too long over TLS', async () => {
    const cluster = await ownCluster({ fsync: false, tls: 'localhost' })
    const url = new URL(cluster.url)
    url.hostname = 'localhost'
    url.search = String(
      new URLSearchParams({
        sslmode: 'verify-full',
        sslrootcert: cluster.authorities?.right ?? '',
      }),
    )
    await lockTable(cluster.url)
    const { query } = openDatabase(url.href, SHORT)
    await expect(query('SELECT FROM locked')).rejects.toThrow(UNAVAILABLE)
    await until('nothing waits', async () => (await countWaiting(cluster.superuserUrl)) === 0)
  })

  if (hasPgBouncer()) {
    test('behind a pooler a statement that takes too long ends on the server, too', async () => {
      const { name, url, superuserUrl } = await freshDatabase()
      const bouncer = await pgBouncer({ to: await postgresServer() })
      await lockTable(url)
      const { query } = openDatabase(bouncer.url(name), SHORT)
      await expect(query('SELECT FROM locked')).rejects.toThrow(UNAVAILABLE)
      await until('nothing waits', async () => (await countWaiting(superuserUrl)) === 0)
    })
  }

  test('lines that were cut while they were idle cost one statement its time, and no other', async () => {
    const { name } = await freshDatabase()
    const server = await postgresServer()
    const proxy = await tcpProxy({ to: server.port })
    const database = openDatabase(proxy.through(roleUrl(server, name)), SHORT)
    using _ = stopTimers()
    await backendsOf(database, 5)
    jest.advanceTimersByTime(SECOND_MS)
    proxy.silence()
    const lost = database.query(PID)
    lost.catch(() => {})
    while (database.poolState().idle === 5) await turn()
    // The server has half a second more to end the statement.
    jest.advanceTimersByTime(1.6 * SECOND_MS)
    await expect(lost).rejects.toThrow(UNAVAILABLE)
    for (let asked = 0; asked < 5; asked++) await database.query(PID)
  })

  test('lines that were cut while they were idle are doubted long before the time of a statement is up', async () => {
    const { name } = await freshDatabase()
    const server = await postgresServer()
    const proxy = await tcpProxy({ to: server.port })
    const database = openDatabase(proxy.through(roleUrl(server, name)))
    using _ = stopTimers()
    await backendsOf(database, 5)
    jest.advanceTimersByTime(SECOND_MS)
    proxy.silence()
    let isOver = false
    const silent = database.query(PID).catch(() => {
      isOver = true
    })
    while (database.poolState().idle === 5) await turn()
    jest.advanceTimersByTime(SECOND_MS)
    while (database.poolState().idle > 0) await turn()
    for (let asked = 0; asked < 5; asked++) await database.query(PID)
    expect(isOver).toBe(false)
    proxy.cut()
    await silent
  })

  test('connections that were reset while they were idle cost one statement, and no other', async () => {
    const { name } = await freshDatabase()
    const server = await postgresServer()
    const proxy = await tcpProxy({ to: server.port })
    const database = openDatabase(proxy.through(roleUrl(server, name)))
    await backendsOf(database, 5)
    proxy.resetOnUse()
    await expect(database.query(PID)).rejects.toThrow(UNAVAILABLE)
    for (let asked = 0; asked < 5; asked++) await database.query(PID)
  })

  test('a read-only database is left alone, and written to once it takes writes again', async () => {
    const { name, url } = await freshDatabase()
    const administration = superuserUrl(await postgresServer(), 'postgres')
    await query(url, 'CREATE TABLE written (id integer)')
    const { write, query: read } = openDatabase(url)
    const insert = () =>
      write([], (transaction) => transaction.query('INSERT INTO written VALUES (1)'))
    await query(administration, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await expect(insert()).rejects.toThrow(UNAVAILABLE)
    expect(await read('SELECT FROM written')).toEqual([])
    await query(administration, `ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await until('it takes writes', () =>
      insert().then(
        () => true,
        () => false,
      ),
    )
    expect(await read('SELECT id FROM written')).toEqual([{ id: 1 }])
  })
}
