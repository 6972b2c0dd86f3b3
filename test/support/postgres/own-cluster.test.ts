import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { until } from '../executable/until.ts'
import { EVERY_POSTGRES, hasPostgres } from './binaries.ts'
import { type OwnCluster, ownCluster } from './own-cluster.ts'
import { query } from './query.ts'

const COUNT = 'SELECT count(*)::integer AS count FROM kept'

async function fill({ url }: OwnCluster): Promise<void> {
  await query(url, 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS id')
}

if (hasPostgres()) {
  describe.each(EVERY_POSTGRES)('a cluster of %s', (binaries) => {
    test('keeps what was committed when it is stopped or killed, and is where it was', async () => {
      const cluster = await ownCluster({ binaries, fsync: true })
      await fill(cluster)
      const ends = [
        () => cluster.stop('fast'),
        () => cluster.stop('immediate'),
        () => cluster.kill(),
      ]
      for (const end of ends) {
        await end()
        await expect(query(cluster.url, COUNT)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
        await cluster.start()
        expect(await query(cluster.url, COUNT)).toEqual([{ count: 1000 }])
      }
      expect(cluster.log()).toContain('database system was not properly shut down')
    })

    test('has a standby that misses nothing, and is promoted when the first is killed', async () => {
      const cluster = await ownCluster({ binaries })
      await fill(cluster)
      const standby = await cluster.makeStandby({ synchronous: true })
      await query(cluster.url, 'INSERT INTO kept VALUES (1001)')
      await cluster.kill()
      await expect(query(standby.url, 'DELETE FROM kept')).rejects.toMatchObject({ code: '25006' })
      await standby.promote()
      expect(await query(standby.url, COUNT)).toEqual([{ count: 1001 }])
      await query(standby.url, 'DELETE FROM kept')
    })

    test('has a certificate for its host, which its authority has signed', async () => {
      const cluster = await ownCluster({ binaries, tls: 'localhost' })
      const connected = (ca: string, host = 'localhost') => {
        const url = new URL(cluster.url)
        url.hostname = host
        return queryByTls(url.href, readFileSync(ca, 'utf8'))
      }
      const { right, wrong } = cluster.authorities!
      expect(await connected(right)).toEqual([{ ssl: true }])
      await expect(connected(wrong)).rejects.toThrow()
      await expect(connected(right, '127.0.0.1')).rejects.toThrow()
    })
  })

  test('a synchronous standby that is gone lets nothing be committed until it is back', async () => {
    const cluster = await ownCluster()
    await fill(cluster)
    const standby = await cluster.makeStandby({ synchronous: true })
    await standby.stop()
    const written = query(cluster.url, 'INSERT INTO kept VALUES (1001)')
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
    await until('it waits', async () => (await query(cluster.superuserUrl, waiting)).length > 0)
    await standby.start()
    await written
  })

  test('a cluster has the settings of the test, and changes them when it is started again', async () => {
    const cluster = await ownCluster({ settings: { max_connections: '20' } })
    expect(await query(cluster.url, 'SHOW max_connections')).toEqual([{ max_connections: '20' }])
    await cluster.restart({ max_connections: '30' })
    expect(await query(cluster.url, 'SHOW max_connections')).toEqual([{ max_connections: '30' }])
    expect(await query(cluster.url, 'SHOW fsync')).toEqual([{ fsync: 'off' }])
  })

  test('all its connections can be ended', async () => {
    const cluster = await ownCluster()
    const client = new Client({ connectionString: cluster.url })
    const lost = new Promise<Error & { code?: string }>((resolve) => client.on('error', resolve))
    await client.connect()
    expect(await cluster.terminateBackends()).toBe(1)
    expect((await lost).code).toBe('57P01')
  })

  test('a statement that a kill breaks off only rejects', async () => {
    const cluster = await ownCluster()
    const waiting = query(cluster.superuserUrl, 'SELECT pg_sleep(60)')
    const waits = `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
    await until('the statement waits', async () => {
      return (await query(cluster.superuserUrl, waits)).length === 1
    })
    const [, refused] = await Promise.all([
      cluster.kill(),
      waiting.then(
        () => null,
        (error: unknown) => error,
      ),
    ])
    expect(refused).toBeInstanceOf(Error)
  })

  test('a certificate for another host is not one for this', async () => {
    const cluster = await ownCluster({ tls: 'other.example' })
    const url = new URL(cluster.url)
    url.hostname = 'localhost'
    const trusted = readFileSync(cluster.authorities!.right, 'utf8')
    await expect(queryByTls(url.href, trusted)).rejects.toThrow()
  })

  test('a cluster that does not start says why', async () => {
    const wrong = ownCluster({ settings: { max_connections: 'many' } })
    await expect(wrong).rejects.toThrow('invalid value for parameter "max_connections"')
  })
}

async function queryByTls(url: string, ca: string) {
  const client = new Client({ connectionString: url, ssl: { ca } })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
  await client.end()
  return rows
}
