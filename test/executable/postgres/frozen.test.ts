import { expect, onTestFinished, test } from 'bun:test'
import { buyer, openProduction } from '../../support/executable/production.ts'
import { TIMEOUT_MS } from '../../support/outages/outlast.ts'
import { take } from '../../support/outages/steady-load.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { query } from '../../support/postgres/query.ts'
import { roleUrl } from '../../support/postgres/server.ts'
import { postgresServer } from '../../support/postgres/shared-server.ts'
import { type TcpProxy, tcpProxy } from '../../support/postgres/tcp-proxy.ts'
import type { AlibiProcess } from '../../support/service/alibi-process.ts'

const EMAIL = 'contended@example.com'
/** Far longer, so that whoever waits for it to end has waited in vain for the shorter one. */
const OTHERS_TIMEOUT = '1m'

type Frozen = { readonly process: AlibiProcess; readonly line: TcpProxy }

const WAYS = [
  [
    'a process that is frozen',
    async ({ process: { pid } }: Frozen) => process.kill(pid, 'SIGSTOP'),
    async ({ process: { pid } }: Frozen) => process.kill(pid, 'SIGCONT'),
  ],
  [
    'a line that hangs',
    ({ line }: Frozen) => line.setMode('hang'),
    ({ line }: Frozen) => line.setMode('pass'),
  ],
] as const

if (hasPostgres()) {
  test.each(WAYS)(
    '%s in the middle of a transaction keeps nobody from his work for longer than its DATABASE_TIMEOUT',
    async (_, freeze, thaw) => {
      const server = await postgresServer()
      const { name, superuserUrl } = await freshDatabase()
      const production = await openProduction()
      onTestFinished(() => production[Symbol.asyncDispose]())
      const line = await tcpProxy({ to: server.port })
      const url = roleUrl(server, name)
      const start = (DATABASE_URL: string, DATABASE_TIMEOUT: string) =>
        production.start({ env: { ...production.settings, DATABASE_URL, DATABASE_TIMEOUT } })
      const frozen = { process: await start(line.through(url), `${TIMEOUT_MS / 1000}s`), line }
      const other = await start(url, OTHERS_TIMEOUT)
      await buyer(other, production, EMAIL).prove()

      const ask = ({ url }: AlibiProcess) =>
        fetch(`${url}/auth/verify-email`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: EMAIL }),
        })
      let isOver = false
      const load = Promise.all(
        Array.from({ length: 4 }, async () => {
          while (!isOver) await take({ kind: 'verify-email', ask: () => ask(frozen.process) })
        }),
      )
      const holding = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE datname = '${name}' AND state = 'idle in transaction' AND relation = 'locks'::regclass`
      let tries = 1
      for (; ; tries++) {
        await freeze(frozen)
        // What was on its way has come to the server by then.
        if ((await query(superuserUrl, holding)).length > 0) break
        await thaw(frozen)
        await Bun.sleep(Math.random() * 20)
      }
      const { status, tookMs } = await take({ kind: 'verify-email', ask: () => ask(other) })
      console.log(
        `found in a transaction at try ${tries}; the other answered within ${Math.round(tookMs)} ms`,
      )
      expect(status).toBe(200)
      await thaw(frozen)
      isOver = true
      await load
    },
  )
}
