import { expect, onTestFinished, test } from 'bun:test'
import { Client } from 'pg'
import { buyer, openProduction } from '../../support/executable/production.ts'
import { outlast } from '../../support/outages/outlast.ts'
import { sendTo, servedAt } from '../../support/outages/served.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { ownCluster } from '../../support/postgres/own-cluster.ts'
import { hasPgBouncer, pgBouncer } from '../../support/postgres/pgbouncer.ts'

const AT_ONCE = 50

if (hasPostgres() && hasPgBouncer()) {
  const SETTINGS = {
    server_reset_query: 'DISCARD ALL',
    server_reset_query_always: '1',
    // By itself, it asks a database that was gone only every 15 seconds whether it is back.
    server_login_retry: '1',
  }

  test('behind a pooler that lends connections by the transaction, many buy at the same time', async () => {
    const cluster = await ownCluster({ fsync: false })
    const bouncer = await pgBouncer({ to: cluster, settings: SETTINGS })
    await using production = await openProduction()
    const DATABASE_URL = bouncer.url('alibi')
    // They wait for each other, and on a busy machine long.
    const env = { ...production.settings, DATABASE_URL, DATABASE_TIMEOUT: '1m' }
    const alibi = await production.start({ env })
    const buyers = Array.from({ length: AT_ONCE }, (_, number) =>
      buyer(alibi, production, `buyer-${number}@example.com`),
    )
    await Promise.all(buyers.map(({ prove }) => prove()))
    const pages = await Promise.all(buyers.map(({ checkOut }) => checkOut()))
    for (const { sessionId } of pages) production.double.pay(sessionId)
    const told = production.double.held().map((event) => production.double.deliver(event))
    expect(new Set(await Promise.all(told))).toEqual(new Set([200]))
    const proofs = await Promise.all(buyers.map(({ prove }) => prove()))
    expect(new Set(proofs.map(({ token }) => token)).size).toBe(AT_ONCE)
    expect(await alibi.stop()).toBe(0)
  })

  test('a pooler that is killed is waited for, and so is the database behind it', async () => {
    const cluster = await ownCluster()
    const bouncer = await pgBouncer({ to: cluster, settings: SETTINGS })
    const served = await servedAt(bouncer.url('alibi'))
    const { load, alibi } = served
    const customers = sendTo(served, () => cluster.superuserUrl)
    await outlast(load, {
      name: 'the pooler killed',
      async begin() {
        await bouncer.kill()
        return () => bouncer.start()
      },
    })
    await outlast(load, {
      name: 'the database behind the pooler killed',
      async begin() {
        await cluster.kill()
        return () => cluster.start()
      },
    })
    await customers.expectAll()
    expect(await alibi.stop()).toBe(0)
  })

  test('a pooler that takes no more clients, or lends no connection, is waited for', async () => {
    const cluster = await ownCluster({ fsync: false })
    const bouncer = await pgBouncer({ to: cluster })
    const console = await openConsole(bouncer.consoleUrl)
    const { load, alibi } = await servedAt(bouncer.url('alibi'))
    await outlast(load, {
      name: 'no more clients',
      async begin() {
        await console.query('SET max_client_conn = 1')
        await console.query('KILL alibi')
        await console.query('RESUME alibi')
        return () => console.query('SET max_client_conn = 1000')
      },
    })
    await outlast(load, {
      name: 'no connection is lent',
      async begin() {
        await console.query('PAUSE alibi')
        return () => console.query('RESUME alibi')
      },
    })
    expect(await alibi.stop()).toBe(0)
  })
}

async function openConsole(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  client.on('error', () => {})
  onTestFinished(() => client.end())
  await client.connect()
  return client
}
