import { expect, test } from 'bun:test'
import { outlast } from '../../support/outages/outlast.ts'
import { sendTo, servedCluster } from '../../support/outages/served.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'

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

  test('a service whose PostgreSQL hangs is stopped as ever', async () => {
    const { proxy, alibi } = await servedCluster()
    await proxy.setMode('hang')
    expect(await alibi.stop()).toBe(0)
  })
}
