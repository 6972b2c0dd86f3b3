import { expect, test } from 'bun:test'
import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { openProduction, type Production } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { quietPort } from '../support/quiet-port.ts'
import { FROM_SOURCE, runAlibi } from '../support/service/alibi-process.ts'
import { listenForNotices } from '../support/service/notify-listener.ts'

// Two services on one database would each have limits, a reconciler and an outbox of their own.

const NOTICE = 'STATUS=waits until another service has let go of the database'

/** `serve` on a free port, to its end. */
function serve(
  { settings, databasePath, executable, folder }: Production,
  {
    command = [executable],
    path = databasePath,
  }: { command?: readonly string[]; path?: string } = {},
) {
  const env = { ...settings, PORT: '0', DATABASE_URL: `sqlite:${path}` }
  return runAlibi({ command: [...command, 'serve'], cwd: folder, env })
}

/** Starts a service beside the one that runs, and resolves once it waits for that to end. */
async function startWaiting(production: Production) {
  const name = join(production.folder, 'notify')
  const notices = listenForNotices(name)
  const starting = production.start({ env: { ...production.settings, NOTIFY_SOCKET: name } })
  await until('the second service waits', () =>
    notices.messages().some((message) => message.startsWith(NOTICE)),
  )
  return { notices, starting }
}

function refusal({ databasePath }: Pick<Production, 'databasePath'>) {
  const stderr = `alibi: the database ${databasePath} is served by another process: only one service at a time may use it\n`
  return { exitCode: 1, stdout: '', stderr }
}

test('a second service on the same database ends with a line that names the file, and the first goes on', async () => {
  await using production = await openProduction()
  const first = await production.start()
  const link = join(production.folder, 'link.db')
  symlinkSync(production.databasePath, link)
  const [compiled, fromSource, byLink] = await Promise.all([
    serve(production),
    serve(production, { command: FROM_SOURCE }),
    serve(production, { path: link }),
  ])
  expect([compiled, fromSource]).toEqual([refusal(production), refusal(production)])
  expect(byLink).toEqual(refusal({ databasePath: link }))
  expect((await fetch(`${first.url}/ready`)).status).toBe(200)
  expect(await first.stop()).toBe(0)
  expect(readdirSync(production.state)).toEqual(['alibi.db'])
})

test('a service that ends while its successor waits lets it serve', async () => {
  await using production = await openProduction()
  const first = await production.start()
  const { notices, starting } = await startWaiting(production)
  using _ = notices
  expect(await first.stop()).toBe(0)
  const second = await starting
  expect((await fetch(`${second.url}/ready`)).status).toBe(200)
  const [waiting, opening] = notices.messages()
  expect([waiting, opening]).toEqual([
    `${NOTICE}\nEXTEND_TIMEOUT_USEC=3600000000`,
    'STATUS=opens the database\nEXTEND_TIMEOUT_USEC=3600000000',
  ])
  expect(await second.stop()).toBe(0)
  expect(readdirSync(production.state)).toEqual(['alibi.db'])
})

test('a service that is killed lets its successor serve at once', async () => {
  await using production = await openProduction()
  const first = await production.start()
  const { notices, starting } = await startWaiting(production)
  using _ = notices
  await first.stop('SIGKILL')
  const second = await starting
  expect((await fetch(`${second.url}/ready`)).status).toBe(200)
})

test('while it waits, requests are answered by 503', async () => {
  await using production = await openProduction()
  const first = await production.start()
  const name = join(production.folder, 'notify')
  using notices = listenForNotices(name)
  const port = await quietPort()
  const env = { ...production.settings, NOTIFY_SOCKET: name, PORT: String(port) }
  const starting = production.start({ env })
  await notices.heard(NOTICE)
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(503)
  await first.stop()
  await starting
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
})

test('commands work beside a running service as ever', async () => {
  await using production = await openProduction()
  const first = await production.start()
  const done = { exitCode: 0, stderr: '' }
  expect(await production.run(['grant', 'anna@example.com'])).toMatchObject(done)
  expect(await production.run(['migrate'])).toMatchObject(done)
  expect(await production.run(['backup', 'copy.db'])).toMatchObject(done)
  expect(await production.run(['restore', 'copy.db'])).toMatchObject({ exitCode: 1 })
  await first.stop('SIGKILL')
  expect(await production.run(['restore', 'copy.db'])).toMatchObject({ exitCode: 0 })
  expect((await fetch(`${(await production.start()).url}/ready`)).status).toBe(200)
})
