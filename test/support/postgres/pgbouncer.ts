import { onTestFinished } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../executable/until.ts'
import { listens, quietPort } from '../quiet-port.ts'
import { ROLE, roleUrl, type Server, type Settings, superuserUrl } from './server.ts'
import { readLog, type SupervisedProcess, startSupervised } from './supervised-process.ts'
import { openUnprivilegedFolder } from './unprivileged-account.ts'

/** A PgBouncer in front of a server. */
export type PgBouncer = {
  readonly port: number
  /** The URL of a database behind it for the role `alibi`. */
  url(database: string): string
  /** Of its own console, which knows statements such as `SHOW SERVERS`, `PAUSE` and `KILL`. */
  readonly consoleUrl: string
  /** Kills it, and with it all connections through it. */
  kill(): Promise<void>
  /** Starts it where it was before. */
  start(): Promise<void>
  /** All that it has written. */
  readonly log: () => string
}

/** Debian puts it where only root's PATH leads. */
const PROGRAM = Bun.which('pgbouncer') ?? '/usr/sbin/pgbouncer'

/** Whether there is one for tests. Where there is none, that is said in the output. */
export function hasPgBouncer(): boolean {
  if (existsSync(PROGRAM)) return true
  console.log('not tested here: PgBouncer, which is not installed')
  return false
}

/**
 * A PgBouncer until the test ends, with the settings of its example but for the pool. It refuses what it does not know
 * among the startup parameters, as it does by itself.
 */
export async function pgBouncer({
  to,
  poolMode = 'transaction',
  poolSize = 4,
  settings: added = {},
}: {
  to: Pick<Server, 'port' | 'rolePassword' | 'superuserPassword'>
  poolMode?: 'session' | 'transaction' | 'statement'
  /** How many connections to the server it opens for a database. */
  poolSize?: number
  /** In place of its own, or more. */
  settings?: Settings
}): Promise<PgBouncer> {
  const folder = openUnprivilegedFolder()
  const [port, users, settings] = [
    await quietPort(),
    join(folder.path, 'users'),
    join(folder.path, 'pgbouncer.ini'),
  ]
  await Bun.write(users, `"${ROLE}" "${to.rolePassword}"\n"postgres" "${to.superuserPassword}"\n`)
  await Bun.write(
    settings,
    `[databases]
* = host=127.0.0.1 port=${to.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir = ${folder.path}
auth_type = scram-sha-256
auth_file = ${users}
admin_users = postgres
pool_mode = ${poolMode}
default_pool_size = ${poolSize}
${Object.entries({ max_client_conn: '1000', ...added })
  .map(([name, value]) => `${name} = ${value}\n`)
  .join('')}`,
  )
  let bouncer: SupervisedProcess
  async function start(): Promise<void> {
    const started = await startSupervised(folder.path, [PROGRAM, settings])
    bouncer = started
    await until('PgBouncer listens', () => {
      if (started.hasEnded()) throw new Error(`PgBouncer ended:\n${readLog(folder.path)}`)
      return listens(port)
    })
  }
  const kill = () => bouncer.stop('KILL')
  onTestFinished(async () => {
    if (!bouncer.hasEnded()) await kill()
    folder[Symbol.dispose]()
  })
  await start()
  const own = { ...to, port }
  return {
    port,
    url: (database) => roleUrl(own, database),
    consoleUrl: superuserUrl(own, 'pgbouncer'),
    kill,
    start,
    log: () => readLog(folder.path),
  }
}
