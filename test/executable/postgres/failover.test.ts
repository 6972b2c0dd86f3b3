import { expect, test } from 'bun:test'
import { buyer, insistOn, otherCode } from '../../support/executable/production.ts'
import { until } from '../../support/executable/until.ts'
import { outlast } from '../../support/outages/outlast.ts'
import { sendTo, servedCluster } from '../../support/outages/served.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'

const WRONG_TRIES = 4

if (hasPostgres()) {
  test('where a synchronous standby takes over, all that was acknowledged is there', async () => {
    const served = await servedCluster()
    const { cluster, proxy, load, alibi, production } = served
    const standby = await cluster.makeStandby({ synchronous: true })
    let isPromoted = false
    const customers = sendTo(served, () => (isPromoted ? standby : cluster).superuserUrl)
    const guesser = buyer(alibi, production, 'guesser@example.com')
    await until('the code is mailed', () =>
      guesser.mailCode().then(
        () => true,
        () => false,
      ),
    )
    const code = production.mailbox.latestCode(guesser.email)

    await outlast(load, {
      name: 'a standby behind the same address, promoted later',
      hits: ['ready', 'premium', 'verify-email', 'login', 'checkout', 'success'],
      sparesOthers: false,
      async begin() {
        for (let refused = 0; refused < WRONG_TRIES; ) {
          const { status } = await guesser.confirm(otherCode(code))
          if (status === 401) refused++
          else expect(status).toBe(503)
        }
        await cluster.kill()
        proxy.switchTo(standby.port)
        return async () => {
          await standby.promote()
          isPromoted = true
        }
      },
    })
    for (const tried of [otherCode(code), code]) {
      expect(await insistOn(() => guesser.confirm(tried))).toMatchObject({ status: 401 })
    }
    await customers.expectAll()
    expect(await alibi.stop()).toBe(0)
  })

  test('while a synchronous standby is gone nothing is acknowledged, and all works on once it is back', async () => {
    const served = await servedCluster()
    const { cluster, load, alibi } = served
    const standby = await cluster.makeStandby({ synchronous: true })
    const customers = sendTo(served, () => cluster.superuserUrl)
    await outlast(load, {
      name: 'the synchronous standby gone',
      hits: ['ready', 'verify-email'],
      sparesOthers: false,
      async begin() {
        await standby.stop()
        return () => standby.start()
      },
    })
    await customers.expectAll()
    expect(await alibi.stop()).toBe(0)
  })
}
