import { describe, expect, test } from 'bun:test'
import { until } from '../support/executable/until.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { ask, clientAddress, openFleet, prove } from '../support/replicas/fleet.ts'
import { atOnce } from '../support/service/real-service.ts'

const EMAIL = 'ada@example.com'

describe.if(hasPostgres())('three replicas on one PostgreSQL', () => {
  test('accept together exactly as many requests as one, and a restart forgives nobody', async () => {
    const budgets = { general: 10, auth: 5, premium: 30 }
    const env = {
      RATE_LIMIT_GENERAL: `${budgets.general}/15m`,
      RATE_LIMIT_AUTH: `${budgets.auth}/15m`,
      RATE_LIMIT_PREMIUM: `${budgets.premium}/15m`,
    }
    await using fleet = await openFleet({ replicas: 3, env })
    await fleet.givePremium([EMAIL])
    const [asked, typed] = [fleet.inTurn(0), fleet.inTurn(1)]
    const token = (await prove(fleet, EMAIL, { asked, typed }))!

    const accepted = async (path: string, requests: number, sent: Parameters<typeof ask>[2]) => {
      const got = await atOnce(requests, (index) => ask(fleet.inTurn(index), path, sent))
      return got.filter(({ status }) => status !== 429).length
    }
    for (const number of [1, 2, 3]) {
      const from = clientAddress(number)
      expect(await accepted('/languages', budgets.general + 50, { from })).toBe(budgets.general)
      const path = `/auth/check?email=${EMAIL}`
      expect(await accepted(path, budgets.auth + 50, { from })).toBe(budgets.auth)
    }
    // From wherever they come, they are of one address.
    expect(await accepted('/i18n', budgets.premium + 50, { token })).toBe(budgets.premium)

    await fleet.replicas[0]?.stop()
    const restarted = await fleet.start()
    const from = clientAddress(1)
    expect((await ask(restarted, '/languages', { from })).status).toBe(429)
    expect((await ask(restarted, '/i18n', { token })).status).toBe(429)
  })

  test('keep no row of a window that is over', async () => {
    // The rows are there long enough to be seen.
    const limit = '2/10s'
    const env = { RATE_LIMIT_GENERAL: limit, RATE_LIMIT_AUTH: limit, RATE_LIMIT_PREMIUM: limit }
    await using fleet = await openFleet({ replicas: 3, env })
    await atOnce(300, (index) =>
      ask(fleet.inTurn(index), index % 2 ? '/languages' : `/auth/check?email=${EMAIL}`, {
        from: clientAddress(index),
      }),
    )
    const count = async () => {
      const [row] = await fleet.rows('SELECT count(*)::int AS places FROM rate_limits')
      return Number(row?.['places'])
    }
    await until('some are kept', async () => {
      await ask(fleet.inTurn(0), '/languages', { from: clientAddress(0) })
      return (await count()) > 0
    })
    await until('they are gone', async () => (await count()) === 0)
  })
})
