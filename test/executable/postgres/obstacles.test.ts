import { expect, onTestFinished, test } from 'bun:test'
import { Client } from 'pg'
import { until } from '../../support/executable/until.ts'
import { outlast } from '../../support/outages/outlast.ts'
import { sendTo, servedCluster } from '../../support/outages/served.ts'
import type { SteadyLoad } from '../../support/outages/steady-load.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { query } from '../../support/postgres/query.ts'
import { superuserUrl } from '../../support/postgres/server.ts'

/** With few connections, which others can take. */
const FEW = { max_connections: '30', superuser_reserved_connections: '3' }
/** One load has no more requests under way than there are questions. */
const QUESTIONS = 9

type Cluster = Awaited<ReturnType<typeof servedCluster>>['cluster']

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Locks it, and resolves with what lets go of it. */
async function lockTable(cluster: Cluster, table: string): Promise<() => Promise<void>> {
  const client = await connect(cluster.superuserUrl)
  onTestFinished(() => client.end())
  await client.query(`BEGIN; LOCK TABLE ${table}`)
  return async () => {
    // Nobody who has given up may still wait there.
    expect(await countBackends(cluster)).toBeLessThanOrEqual(10 + QUESTIONS)
    await client.query('ROLLBACK')
  }
}

/** Connections to the service's database, and how many there are. */
async function countBackends({ superuserUrl }: Cluster): Promise<number> {
  const own = `SELECT FROM pg_stat_activity WHERE datname = 'alibi' AND usename = 'alibi'`
  return (await query(superuserUrl, own)).length
}

if (hasPostgres()) {
  test('a table that is locked costs what needs it its time, and the server no connections', async () => {
    const { cluster, load, alibi } = await servedCluster({ cluster: { fsync: false } })
    const lock = (table: string) => lockTable(cluster, table)
    await outlast(load, {
      name: 'codes locked',
      hits: ['verify-email', 'login'],
      begin: () => lock('otps'),
    })
    await outlast(load, {
      name: 'purchases locked',
      hits: ['premium', 'checkout', 'success'],
      sparesOthers: false,
      begin: () => lock('purchases'),
    })
    await outlast(load, {
      name: 'rate limits locked',
      hits: ['premium', 'verify-email', 'login', 'checkout', 'success'],
      begin: () => lock('rate_limits'),
    })
    expect(await alibi.stop()).toBe(0)
  })

  test('a PostgreSQL that takes no writes, or has no connection left, is waited for', async () => {
    const served = await servedCluster({ cluster: { fsync: false, settings: FEW } })
    const { cluster, load, alibi } = served
    const customers = sendTo(served, () => cluster.superuserUrl)
    const administration = superuserUrl(cluster, 'postgres')
    const writable = `${administration}?options=-c%20default_transaction_read_only%3Doff`
    await outlast(load, {
      name: 'read-only',
      hits: ['ready', 'premium', 'verify-email', 'login', 'checkout', 'success'],
      sparesOthers: false,
      async begin() {
        await query(administration, 'ALTER SYSTEM SET default_transaction_read_only = on')
        await query(administration, 'SELECT pg_reload_conf()')
        return async () => {
          await query(writable, 'ALTER SYSTEM RESET default_transaction_read_only')
          await query(administration, 'SELECT pg_reload_conf()')
        }
      },
    })
    await customers.expectAll()
    await outlast(load, {
      name: 'connections taken by others',
      async begin() {
        await query(administration, 'ALTER ROLE alibi CONNECTION LIMIT 0')
        await cluster.terminateBackends()
        await until('they are gone', async () => (await countBackends(cluster)) === 0)
        const others = await takeConnections(administration)
        await others[0]?.query('ALTER ROLE alibi CONNECTION LIMIT -1')
        return () => Promise.all(others.map((client) => client.end()))
      },
    })
    expect(await alibi.stop()).toBe(0)
  })

  test.each(['1', '2'])(
    'with %s connections everybody is served, one after the other',
    async (max) => {
      const { cluster, load, alibi } = await servedCluster({
        cluster: { fsync: false },
        settings: { DATABASE_POOL_MAX: max },
      })
      await outlast(load, {
        name: `${max} connections`,
        hits: [],
        begin: async () => async () => {},
      })
      expect(await countBackends(cluster)).toBeLessThanOrEqual(Number(max))
      await outlast(load, {
        name: `${max} connections, and codes locked`,
        hits: ['verify-email', 'login'],
        sparesOthers: false,
        begin: () => lockTable(cluster, 'otps'),
      })
      await outlast(load, {
        name: `${max} connections, and killed`,
        async begin() {
          await cluster.kill()
          return () => cluster.start()
        },
      })
      expect(refused(load, 'health')).toBe(0)
      expect(await alibi.stop()).toBe(0)
    },
  )
}

/** All that are left but those for superusers, of which it needs one in between. */
async function takeConnections(url: string): Promise<Client[]> {
  const taken: Client[] = []
  const { max_connections: all, superuser_reserved_connections: reserved } = FEW
  // Somebody who is about to be refused may have one for a moment.
  await until('they are taken', async () => {
    const client = await connect(url).catch(() => null)
    if (client) taken.push(client)
    return taken.length === Number(all) - Number(reserved)
  })
  return taken
}

function refused({ samples }: SteadyLoad, kind: string): number {
  return samples.filter((one) => one.kind === kind && one.status !== 200).length
}
