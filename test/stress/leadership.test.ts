import { onTestFinished, test } from 'bun:test'
import { buyer, openProduction } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { openFreshDatabase } from '../support/postgres/fresh-database.ts'
import { query } from '../support/postgres/query.ts'
import { roleUrl } from '../support/postgres/server.ts'
import { postgresServer } from '../support/postgres/shared-server.ts'
import { type TcpProxy, tcpProxy } from '../support/postgres/tcp-proxy.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { IS_WHOLE_STRESS } from '../support/thoroughness.ts'

type Leader = { readonly process: AlibiProcess; readonly line: TcpProxy }

const KILLED = ({ process }: Leader) => process.stop('SIGKILL')

const WAYS: readonly (readonly [name: string, end: (leader: Leader) => Promise<unknown>])[] = [
  ['killed', KILLED],
  ['frozen', async ({ process: { pid } }) => process.kill(pid, 'SIGSTOP')],
  ['cut off', ({ line }) => line.setMode('hang')],
]

/** A leader and another replica, on a database of their own. */
async function openPair() {
  const server = await postgresServer()
  const database = await openFreshDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const production = await openProduction()
  onTestFinished(() => production[Symbol.asyncDispose]())
  const line = await tcpProxy({ to: server.port })
  const url = roleUrl(server, database.name)
  const start = (DATABASE_URL: string) =>
    production.start({ env: { ...production.settings, DATABASE_URL, DATABASE_TIMEOUT: '1s' } })
  const leader = await start(line.through(url))
  await until('it leads', () => leader.output().includes('leadership.taken'))
  return { production, leader: { process: leader, line }, other: await start(url), database }
}

/** Somebody buys at the other one, whose mail is the leader's work. Resolves with how long that took. */
async function buyWithout(
  end: (leader: Leader) => Promise<unknown>,
  { passesTime }: { passesTime: boolean },
): Promise<number> {
  const { production, leader, other, database } = await openPair()
  const { mailbox } = production
  await end(leader)
  const endedAt = performance.now()
  await buyer(other, production, 'buyer@example.com').buy()
  if (passesTime) await query(database.url, `UPDATE leases SET expires_at = 'epoch'`)
  const isMailed = () => mailbox.delivered.some(({ key }) => key?.startsWith('payment_confirmed:'))
  await until('the mail is sent', isMailed)
  return performance.now() - endedAt
}

if (hasPostgres()) {
  test('a leader that is killed is followed once its lease is over', async () => {
    await buyWithout(KILLED, { passesTime: true })
  })

  if (IS_WHOLE_STRESS) {
    test('a leader that is killed, frozen or cut off is followed by itself', async () => {
      const all = await Promise.all(
        WAYS.map(
          async ([name, end]) => [name, await buyWithout(end, { passesTime: false })] as const,
        ),
      )
      for (const [name, tookMs] of all) {
        console.log(
          `a leader that was ${name}: its work was done after ${Math.round(tookMs / 1000)} s`,
        )
      }
    })
  }
}
