import { expect, onTestFinished, test } from 'bun:test'
import { checkEnds } from '../support/executable/ends.ts'
import { openProduction } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { findBroken, sendCustomers } from '../support/outages/customers.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { ownCluster } from '../support/postgres/own-cluster.ts'
import { query } from '../support/postgres/query.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { IS_WHOLE, IS_WHOLE_STRESS } from '../support/thoroughness.ts'

const KILLS = IS_WHOLE_STRESS ? 100 : IS_WHOLE ? 20 : 6
const AT_ONCE = 6
/** How long both replicas serve before one is killed, at most. */
const ALIVE_MS_MAX = 700
const PASS_LEASE = `UPDATE leases SET expires_at = 'epoch'`

/** Whether it works in the background, or has until its end. */
function isLeader(replica: AlibiProcess | undefined): boolean {
  const lines = replica?.output() ?? ''
  return lines.lastIndexOf('leadership.taken') > lines.lastIndexOf('leadership.lost')
}

if (hasPostgres()) {
  test('of two replicas one is killed in the middle of everything, again and again: nothing is lost, and nothing is there twice', async () => {
    const cluster = await ownCluster()
    const production = await openProduction()
    onTestFinished(() => production[Symbol.asyncDispose]())
    const env = { ...production.settings, DATABASE_URL: cluster.url }
    const replicas: AlibiProcess[] = [
      await production.start({ env }),
      await production.start({ env }),
    ]
    const sql = (text: string) => query(cluster.superuserUrl, text)
    const customers = sendCustomers(production, {
      urls: () => replicas.map(({ url }) => url).toSorted(() => Math.random() - 0.5),
      atOnce: AT_ONCE,
      forgetPage: (email) => sql(`DELETE FROM purchases WHERE email = '${email}'`),
    })
    const startedAt = performance.now()
    let leadersKilled = 0
    for (let kill = 0; kill < KILLS; kill++) {
      await Bun.sleep(Math.random() * ALIVE_MS_MAX)
      const victim = kill % 2
      const before = customers.finished()
      await replicas[victim]?.stop('SIGKILL')
      // As if the time had passed after which it is followed, so that the next kill, too, may hit a leader.
      if (isLeader(replicas[victim])) {
        leadersKilled++
        await sql(PASS_LEASE)
      }
      replicas[victim] = await production.start({ env })
      await until('others come to the end of their way', () => customers.finished() > before)
    }
    const tookMs = performance.now() - startedAt
    await customers.leave()

    for (const replica of replicas) expect(await replica.stop()).toBe(0)
    // As if the time had passed after which mails are tried again.
    await sql(PASS_LEASE)
    await sql(`UPDATE outbox SET due_at = 'epoch' WHERE state = 'waiting'`)
    const alibi = await production.start({ env })
    await until('nothing waits in the outbox', async () => {
      return (await sql(`SELECT FROM outbox WHERE state = 'waiting'`)).length === 0
    })
    const { acknowledged, samples, finished } = customers
    const premium = new Map([...acknowledged.granted].map((email) => [email, true]))
    const ends = await checkEnds(production, alibi, premium, sql, env)
    const count = (status: number | null) => samples.filter((one) => one.status === status).length
    console.log(
      `SIGKILL of one of two replicas: ${KILLS} kills in ${Math.round(tookMs / 1000)} s, ${leadersKilled} of the one that led; ${finished()} customers, ` +
        `${samples.length} answers (${count(null)} broken off, ${count(503)} unavailable), ` +
        `${ends.payments} payments, ${ends.confirmed} confirmed once, ${ends.refunded} second ones sent back once, ` +
        `${acknowledged.loggedOut.size} log-outs, ${ends.wrong.length} wrong ends`,
    )
    expect(ends.wrong).toEqual([])
    expect(await findBroken(alibi.url, acknowledged)).toEqual([])
    expect(ends.confirmed + ends.refunded).toBe(ends.payments)
    expect(ends.payments).toBeGreaterThan(KILLS)
    expect(ends.refunded).toBeGreaterThan(0)
  })
}
