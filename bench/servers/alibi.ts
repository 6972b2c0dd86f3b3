import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { onLoadCore, onServerCore } from '../machine.ts'
import { freePort, type MeasuredServer, measuredServer, untilAnswered } from './measured-process.ts'
import type { Providers } from './providers.ts'
import { SECRETS } from './secrets.ts'

/** As much as a setting may allow: the limits count every request, and refuse none. */
const RAISED = '100000/1s'

export function productionSettings({
  port,
  metricsPort,
  database,
  providers,
}: {
  port: number
  metricsPort: number
  database: string
  providers: Pick<Providers, 'stripeUrl' | 'mailUrl'>
}): Record<string, string> {
  return {
    ...SECRETS,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: `sqlite:${database}`,
    STRIPE_API_URL: providers.stripeUrl,
    RESEND_BASE_URL: providers.mailUrl,
    EMAIL_FROM: 'Alibi <hello@alibi.example>',
    RATE_LIMIT_GENERAL: RAISED,
    RATE_LIMIT_AUTH: RAISED,
    RATE_LIMIT_PREMIUM: RAISED,
    // One network may have a twentieth of it, and all load comes from one.
    MAIL_LIMIT: 'off',
  }
}

export type MeasuredAlibi = MeasuredServer & { readonly database: string }

/** Starts the service as in production: every line of its log goes through a pipe to a reader. */
export async function startAlibi(
  executable: string,
  { database, folder, providers }: { database: string; folder: string; providers: Providers },
): Promise<MeasuredAlibi> {
  mkdirSync(folder, { recursive: true })
  const [port, metricsPort] = [await freePort(), await freePort()]
  const settings = productionSettings({ port, metricsPort, database, providers })
  const log = openLogPipe(join(folder, `log-${port}`))
  const child = Bun.spawn(onServerCore([executable, 'serve']), {
    cwd: folder,
    env: settings,
    stdout: log,
    stderr: 'inherit',
  })
  closeSync(log)
  const { PUBLIC_URL: url = '' } = settings
  await untilAnswered(`${url}/ready`, () => child.exitCode !== null)
  return { ...measuredServer(url, child), database }
}

/** The end of a pipe to write to. Who reads it ends with its last writer. */
function openLogPipe(path: string): number {
  Bun.spawnSync(['mkfifo', '-m', '600', path])
  Bun.spawn(onLoadCore(['sh', '-c', 'cat "$0" >/dev/null', path]))
  return openSync(path, 'w')
}
