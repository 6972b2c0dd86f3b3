import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { quietPort } from '../../test/support/quiet-port.ts'
import { onLoadCore, onServerCore } from '../machine.ts'
import type { BenchDatabase } from '../seed/bench-database.ts'
import { type MeasuredServer, measuredServer, stopped, untilAnswered } from './measured-process.ts'
import type { Providers } from './providers.ts'
import { SECRETS } from './secrets.ts'

/** As much as a setting may allow: the limits count every request, and refuse none. */
const RAISED = '100000/1s'

export type MeasuredAlibi = MeasuredServer & {
  readonly database: BenchDatabase
  /** The milliseconds from its start to its first answer. */
  readonly answeredAfterMs: number
}

/**
 * Starts the service as in production, with settings of one's own: all of its log goes through a pipe to a reader.
 * Resolves once `path` has answered.
 */
export async function startAlibi(
  executable: string,
  {
    database,
    folder,
    providers,
    settings = {},
    path = '/ready',
  }: {
    database: BenchDatabase
    folder: string
    providers: Providers
    settings?: Readonly<Record<string, string>>
    path?: string
  },
): Promise<MeasuredAlibi> {
  const port = await quietPort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...productionSettings({ url, database: database.url, providers }),
    PORT: String(port),
    METRICS_PORT: String(await quietPort()),
    ...settings,
  }
  const { log, reader } = openLogPipe(join(folder, `log-${port}`))
  const startedAt = performance.now()
  const child = Bun.spawn(onServerCore([executable, 'serve']), {
    cwd: folder,
    env,
    stdout: log,
    stderr: 'inherit',
  })
  closeSync(log)
  await untilAnswered(url + path, child)
  const answeredAfterMs = performance.now() - startedAt
  return {
    ...measuredServer(url, child),
    database,
    answeredAfterMs,
    async [Symbol.asyncDispose]() {
      await stopped(child)
      await reader.exited
    },
  }
}

function productionSettings({
  url,
  database,
  providers,
}: {
  url: string
  database: string
  providers: Providers
}): Record<string, string> {
  return {
    ...SECRETS,
    PUBLIC_URL: url,
    DATABASE_URL: database,
    STRIPE_API_URL: providers.stripeUrl,
    RESEND_BASE_URL: providers.mailUrl,
    EMAIL_FROM: 'Alibi <hello@alibi.example>',
    RATE_LIMIT_GENERAL: RAISED,
    RATE_LIMIT_AUTH: RAISED,
    RATE_LIMIT_PREMIUM: RAISED,
    MAIL_LIMIT: RAISED,
    // Where codes are asked for, the load says that it comes from many networks: one may have a twentieth of the limit.
    TRUSTED_PROXIES: '127.0.0.1',
  }
}

/** The end of a pipe to write to, and the process that reads the other end until its last writer is gone. */
function openLogPipe(path: string) {
  Bun.spawnSync(['mkfifo', '-m', '600', path])
  const reader = Bun.spawn(onLoadCore(['sh', '-c', 'exec cat "$0" >/dev/null', path]))
  return { log: openSync(path, 'w'), reader }
}
