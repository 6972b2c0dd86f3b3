import { quantile } from '../report/figures.ts'
import { progress } from '../report/progress.ts'
import type { Run } from '../run/run.ts'
import { type Delivery, notificationsOfSales } from '../seed/sales.ts'
import type { Measurement, Outcome } from './measurement.ts'

const PER_SECOND = 200
const SALES = 2000
const HEAD_START_MS = 100

const FIGURES: readonly (readonly [string, number])[] = [
  ['p50 ms', 0.5],
  ['p90 ms', 0.9],
  ['p99 ms', 0.99],
  ['longest ms', 1],
]

/** How long Stripe waits for an answer while 200 notifications of all kinds come every second. */
export const STEADY_WEBHOOKS: Measurement = {
  name: 'steady-webhooks',
  runs: 'when named or written',
  async measure(run: Run): Promise<Outcome> {
    const first = run.takeNumbers(SALES)
    const deliveries = await notificationsOfSales(first, SALES)
    await using alibi = await run.startAlibi({ writes: true })
    await alibi.database.openPurchases({ first, amount: SALES })
    const paidBefore = await alibi.database.countPaid()

    const step = progress(`${deliveries.length} notifications, ${PER_SECOND} a second`)
    step(0)
    const bare = await deliver(run.bare.url, deliveries)
    step(0.5)
    const own = await deliver(alibi.url, deliveries)
    step(1)
    const paid = (await alibi.database.countPaid()) - paidBefore
    if (paid !== SALES) throw new Error(`${SALES} payments were answered, and ${paid} are stored`)

    const head = [`${PER_SECOND} notifications a second`, ...FIGURES.map(([name]) => name)]
    const rows = [rowOf('bare server', bare), rowOf('alibi', own)]
    return { table: { name: 'steady-webhooks', head, rows }, raw: { bare, alibi: own } }
  },
}

function rowOf(name: string, times: readonly number[]): string[] {
  return [name, ...FIGURES.map(([, share]) => quantile(times, share).toFixed(1))]
}

/**
 * Sends on schedule, without waiting for earlier answers. Resolves with the milliseconds until each answer, a late
 * start included. Throws where one is no 200.
 */
async function deliver(url: string, deliveries: readonly Delivery[]): Promise<number[]> {
  const startsAt = performance.now() + HEAD_START_MS
  return Promise.all(
    deliveries.map(async ({ body, signature }, index) => {
      const dueAt = startsAt + (index * 1000) / PER_SECOND
      await Bun.sleep(dueAt - performance.now())
      // Timers may come a moment early.
      const countedFrom = Math.min(dueAt, performance.now())
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
      const answer = await fetch(`${url}/webhook/stripe`, { method: 'POST', headers, body })
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`a notification was answered ${answer.status}`)
      return performance.now() - countedFrom
    }),
  )
}
