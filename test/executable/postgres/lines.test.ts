import { expect, onTestFinished, test } from 'bun:test'
import { SECOND_MS } from '../../../domain/duration.ts'
import { insistOn, openProduction } from '../../support/executable/production.ts'
import { client } from '../../support/http/client.ts'
import { outlast } from '../../support/outages/outlast.ts'
import { sendTo, servedCluster } from '../../support/outages/served.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { roleUrl } from '../../support/postgres/server.ts'
import { postgresServer } from '../../support/postgres/shared-server.ts'
import { tcpProxy } from '../../support/postgres/tcp-proxy.ts'

if (hasPostgres()) {
  test('a line that hangs, breaks or is refused is waited for, and what was acknowledged is there', async () => {
    const served = await servedCluster()
    const { cluster, proxy, load, alibi } = served
    const customers = sendTo(served, () => cluster.superuserUrl)
    const pass = () => proxy.setMode('pass')
    await outlast(load, {
      name: 'hung',
      async begin() {
        await proxy.setMode('hang')
        return pass
      },
    })
    await outlast(load, {
      name: 'hung and then cut',
      async begin() {
        await proxy.setMode('hang')
        return async () => {
          proxy.cut()
          await pass()
        }
      },
    })
    await outlast(load, {
      name: 'refused',
      async begin() {
        await proxy.setMode('refuse')
        proxy.cut()
        return pass
      },
    })
    await outlast(load, {
      name: 'cut, and nobody says so',
      hits: [],
      sparesOthers: false,
      async begin() {
        proxy.silence()
        return async () => {}
      },
    })
    await customers.expectAll()
    expect(await alibi.stop()).toBe(0)
  })

  test('a request has DATABASE_TIMEOUT for all that it asks of a slow PostgreSQL, and not for each question', async () => {
    const production = await openProduction()
    onTestFinished(() => production[Symbol.asyncDispose]())
    const { name } = await freshDatabase()
    const server = await postgresServer()
    const proxy = await tcpProxy({ to: server.port })
    const DATABASE_URL = proxy.through(roleUrl(server, name))
    // It asks twice: whether the client may ask, and who has paid.
    const env = {
      ...production.settings,
      DATABASE_URL,
      DATABASE_TIMEOUT: '5s',
      RATE_LIMIT_AUTH: '1000/1m',
    }
    const { url } = await production.start({ env })
    const ask = () => client(url).get('/auth/check?email=a@example.com')
    expect((await insistOn(ask)).status).toBe(200)

    // Each answer comes in time, and any two of them do not.
    proxy.slowDown(3 * SECOND_MS)
    expect(await ask()).toMatchObject({ status: 503, body: { error: 'Temporarily unavailable' } })
    proxy.slowDown(0)
    expect((await insistOn(ask)).status).toBe(200)
  })

  test('a service whose PostgreSQL hangs is stopped as ever', async () => {
    const { proxy, alibi } = await servedCluster()
    await proxy.setMode('hang')
    expect(await alibi.stop()).toBe(0)
  })
}
