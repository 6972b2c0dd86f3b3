import { expect, test } from 'bun:test'
import { outlast } from '../../support/outages/outlast.ts'
import { sendTo, servedCluster } from '../../support/outages/served.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'

if (hasPostgres()) {
  test('a PostgreSQL that is stopped or killed is waited for, and what was acknowledged is there', async () => {
    const served = await servedCluster()
    const { cluster, load, alibi } = served
    const customers = sendTo(served, () => cluster.superuserUrl)
    const again = () => cluster.start()
    for (const [name, end] of [
      ['stopped fast', () => cluster.stop('fast')],
      ['stopped at once', () => cluster.stop('immediate')],
      ['killed', () => cluster.kill()],
    ] as const) {
      await outlast(load, {
        name,
        async begin() {
          await end()
          return again
        },
      })
    }
    await outlast(load, {
      name: 'all connections ended',
      hits: [],
      sparesOthers: false,
      async begin() {
        expect(await cluster.terminateBackends()).toBeGreaterThan(0)
        return async () => {}
      },
    })
    await customers.expectAll()
    expect(await alibi.stop()).toBe(0)
  })

  test('a service whose PostgreSQL is gone is stopped as ever', async () => {
    const { cluster, alibi } = await servedCluster()
    await cluster.kill()
    expect(await alibi.stop()).toBe(0)
  })
}
