import { Database } from 'bun:sqlite'
import { afterAll, beforeAll } from 'bun:test'
import { join } from 'node:path'
import { openProduction, type Production } from '../executable/production.ts'
import { quietPort } from '../quiet-port.ts'
import { type AlibiProcess, FROM_SOURCE, startAlibi } from '../service/alibi-process.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'

/**
 * Each visitor comes from an address of their own, as through a proxy, and so has the budget that users were promised.
 */
const BEHIND_A_PROXY = { TRUSTED_PROXIES: '127.0.0.1' }

/** Gives a test file the service as a developer starts it, sandbox included. */
export function developmentSetup(env: Record<string, string> = {}) {
  const folder = openTemporaryFolder()
  let alibi: AlibiProcess
  beforeAll(async () => {
    alibi = await startAlibi({
      command: FROM_SOURCE,
      cwd: folder.path,
      env: { APP_ENV: 'development', ...BEHIND_A_PROXY, ...env },
    })
  })
  afterAll(async () => {
    await alibi.stop()
    folder[Symbol.dispose]()
  })

  return {
    /** As users reach it: the address that it calls its own. */
    url: () => alibi.url.replace('127.0.0.1', 'localhost'),
    /** As if the half hour that a proof of the address counts had passed. */
    endVerification(email: string): void {
      using database = new Database(join(folder.path, 'data', 'alibi.db'), { readwrite: true })
      database.run('PRAGMA busy_timeout = 5000')
      database.run('UPDATE verifications SET expires_at = verified_at + 1 WHERE email = ?', [email])
    },
  }
}

/** Gives a test file the executable in production, with its Stripe and its mailbox. */
export function productionSetup(env: Record<string, string> = {}) {
  let production: Production
  let url: string
  beforeAll(async () => {
    production = await openProduction()
    // The service has to know its own address before it starts.
    const port = await quietPort()
    url = `http://127.0.0.1:${port}`
    await production.start({
      env: {
        ...production.settings,
        ...BEHIND_A_PROXY,
        PUBLIC_URL: url,
        PORT: String(port),
        ...env,
      },
    })
  })
  afterAll(() => production[Symbol.asyncDispose]())

  return {
    url: () => url,
    stripe: () => production.double,
    mailbox: () => production.mailbox,
  }
}
