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
/** What the busiest machine may add. */
const SLACK_MS = 4000
const TRIES_MAX = 400

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
    '%s in the middle of a transaction keeps nobody from his work for long',
    async (_, freeze, thaw) => {
      const server = await postgresServer()
      const { name, superuserUrl } = await freshDatabase()
      const production = await openProduction()
      onTestFinished(() => production[Symbol.asyncDispose]())
      const line = await tcpProxy({ to: server.port })
      const url = roleUrl(server, name)
      const start = (DATABASE_URL: string) =>
        production.start({
          env: { ...production.settings, DATABASE_URL, DATABASE_TIMEOUT: `${TIMEOUT_MS / 1000}s` },
        })
      const frozen = { process: await start(line.through(url)), line }
      const other = await start(url)
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
      let tries = 0
      for (; tries < TRIES_MAX; tries++) {
        await freeze(frozen)
        // What was on its way has come to the server by then.
        if ((await query(superuserUrl, holding)).length > 0) break
        await thaw(frozen)
        await Bun.sleep(Math.random() * 20)
      }
      expect(tries).toBeLessThan(TRIES_MAX)
      const frozenAt = performance.now()
      const statuses: (number | null)[] = []
      while (statuses.at(-1) !== 200) {
        const { status } = await take({ kind: 'verify-email', ask: () => ask(other) })
        statuses.push(status)
        expect([200, 503]).toContain(status ?? 0)
      }
      const tookMs = performance.now() - frozenAt
      console.log(
        `found in a transaction at try ${tries + 1}; the other answered ${statuses} within ${Math.round(tookMs)} ms`,
      )
      expect(tookMs).toBeLessThan(TIMEOUT_MS + SLACK_MS)
      await thaw(frozen)
      isOver = true
      await load
    },
  )
}
