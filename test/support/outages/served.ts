import { expect, onTestFinished } from 'bun:test'
import { checkEnds } from '../executable/ends.ts'
import { openProduction } from '../executable/production.ts'
import { until } from '../executable/until.ts'
import { type OwnClusterOptions, ownCluster } from '../postgres/own-cluster.ts'
import { query } from '../postgres/query.ts'
import { tcpProxy } from '../postgres/tcp-proxy.ts'
import { type CustomerOptions, findBroken, sendCustomers } from './customers.ts'
import { TIMEOUT_MS } from './outlast.ts'
import { mixedQuestions, steadyLoad } from './steady-load.ts'

/** Of no consequence, but counted. */
const RATE_LIMIT = '100000/1h'
const PATIENT = { DATABASE_TIMEOUT: '1m' }

/** The executable on a PostgreSQL of its own behind a proxy, under a steady load, until the test ends. */
export async function servedCluster({
  cluster: clusterOptions = {},
  settings = {},
}: {
  cluster?: OwnClusterOptions
  /** Added to those of production. */
  settings?: Record<string, string>
} = {}) {
  const cluster = await ownCluster(clusterOptions)
  const proxy = await tcpProxy({ to: cluster.port })
  return { cluster, proxy, ...(await servedAt(proxy.through(cluster.url), settings)) }
}

/** The executable on the database, under a steady load, until the test ends. */
export async function servedAt(url: string, settings: Record<string, string> = {}) {
  const production = await openProduction()
  onTestFinished(() => production[Symbol.asyncDispose]())
  const env = {
    ...production.settings,
    DATABASE_URL: url,
    DATABASE_TIMEOUT: `${TIMEOUT_MS / 1000}s`,
    RATE_LIMIT_GENERAL: RATE_LIMIT,
    RATE_LIMIT_AUTH: RATE_LIMIT,
    RATE_LIMIT_PREMIUM: RATE_LIMIT,
    ...settings,
  }
  // On a busy machine, a database that is well may take longer than the time that the service under test has for it.
  const patient = await production.start({ env: { ...env, ...PATIENT } })
  const questions = await mixedQuestions(production, patient)
  await patient.stop()
  const alibi = await production.start({ env })
  const load = steadyLoad(questions(alibi.url))
  onTestFinished(() => load[Symbol.asyncDispose]())
  return { production, alibi, load, env }
}

/** Sends customers through the service, in a database that the superuser reads at the URL. */
export function sendTo(
  { production, alibi }: Pick<Awaited<ReturnType<typeof servedAt>>, 'production' | 'alibi'>,
  superuserUrl: () => string,
  options: Pick<CustomerOptions, 'atOnce'> = { atOnce: 2 },
) {
  const sql = (text: string) => query(superuserUrl(), text)
  const customers = sendCustomers(production, {
    urls: () => [alibi.url],
    // The database may be the one that is out of order just now.
    forgetPage: (email) =>
      until('the page is forgotten', () =>
        sql(`DELETE FROM purchases WHERE email = '${email}'`).then(
          () => true,
          () => false,
        ),
      ),
    ...options,
  })
  return {
    ...customers,
    /** Expects that all that anybody was told is true, and that whoever has paid got one mail. */
    async expectAll(): Promise<void> {
      await customers.leave()
      // As if the time had passed after which what has failed is tried again.
      await sql(`UPDATE outbox SET due_at = 'epoch' WHERE state = 'waiting'`)
      await until('nothing waits in the outbox', async () => {
        return (await sql(`SELECT FROM outbox WHERE state = 'waiting'`)).length === 0
      })
      const { acknowledged } = customers
      const premium = new Map([...acknowledged.granted].map((email) => [email, true]))
      const env = { ...production.settings, ...PATIENT, DATABASE_URL: superuserUrl() }
      expect((await checkEnds(production, alibi, premium, sql, env)).wrong).toEqual([])
      expect(await findBroken(alibi.url, acknowledged)).toEqual([])
      expect(acknowledged.granted.size).toBeGreaterThan(0)
    },
  }
}
