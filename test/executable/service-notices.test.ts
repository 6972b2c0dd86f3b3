import { beforeAll, describe, expect, test } from 'bun:test'
import { renameSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { builtExecutable } from '../support/executable/built.ts'
import { openProduction, type Production } from '../support/executable/production.ts'
import { change, holdDatabase } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'
import { client } from '../support/http/client.ts'
import { listenForNotices } from '../support/service/notify-listener.ts'

/** Signs of life are due every 100 ms. */
const WATCHDOG_USEC = '300000'
const SIGN_EVERY_MS = 100
const PAGE_BYTES = 4096

beforeAll(async () => void (await builtExecutable()))

/** Starts the service as systemd does, with a socket for its notices. */
async function startSupervised(production: Production, env: Record<string, string> = {}) {
  const name = join(production.folder, 'notify')
  const listener = listenForNotices(name)
  const settings = { ...production.settings, NOTIFY_SOCKET: name, WATCHDOG_USEC, ...env }
  const alibi = await production.start({ env: settings })
  return { alibi, listener }
}

describe('the executable tells whoever has started it', () => {
  test('that it starts, is ready once it serves, lives, and stops, in this order', async () => {
    await using production = await openProduction()
    const { alibi, listener } = await startSupervised(production)
    using _ = listener
    await listener.heard('READY=1')
    expect((await client(alibi.url).get('/ready')).status).toBe(200)
    await listener.heard('WATCHDOG=1', 3)
    expect(await alibi.stop()).toBe(0)

    const [opening, ready, ...others] = listener.messages()
    expect(opening).toBe('STATUS=opens the database\nEXTEND_TIMEOUT_USEC=3600000000')
    expect(ready).toMatch(
      new RegExp(`^READY=1\nSTATUS=serves at ${alibi.url}, version [0-9]+[.][0-9]+[.][0-9]+$`),
    )
    expect(others.pop()).toBe('STOPPING=1\nSTATUS=finishes what is under way')
    expect(new Set(others)).toEqual(new Set(['WATCHDOG=1']))
  })

  test('nothing of being ready when its settings are wrong', async () => {
    await using production = await openProduction()
    const name = join(production.folder, 'notify')
    using listener = listenForNotices(name)
    const env = { ...production.settings, PUBLIC_URL: 'nonsense', NOTIFY_SOCKET: name }
    expect((await production.run(['serve'], env)).exitCode).toBe(78)
    expect(listener.messages()).toEqual([])
  })

  test('no sign of life while its event loop hangs, and again after that', async () => {
    await using production = await openProduction()
    const { alibi, listener } = await startSupervised(production)
    using _ = listener
    await listener.heard('WATCHDOG=1')
    process.kill(alibi.pid, 'SIGSTOP')
    try {
      await until('it has stopped', async () => (await stateOf(alibi.pid)) === 'T')
      const signs = listener.count('WATCHDOG=1')
      await signsTime()
      expect(listener.count('WATCHDOG=1')).toBe(signs)
      process.kill(alibi.pid, 'SIGCONT')
      await listener.heard('WATCHDOG=1', signs + 1)
    } finally {
      process.kill(alibi.pid, 'SIGCONT')
    }
  })

  test('that it lives while its database is not at its place: a new start would begin with an empty one', async () => {
    await using production = await openProduction()
    const { alibi, listener } = await startSupervised(production)
    using _ = listener
    renameSync(production.databasePath, `${production.databasePath}.aside`)
    await until('it notices', async () => (await client(alibi.url).get('/ready')).status === 503)
    const signs = listener.count('WATCHDOG=1')
    await listener.heard('WATCHDOG=1', signs + 3)
  })

  test('no sign of life while its database cannot be read', async () => {
    await using production = await openProduction()
    // All of it is in the one file once a service has ended.
    await (await production.start()).stop()
    const { alibi, listener } = await startSupervised(production)
    using _ = listener
    await listener.heard('WATCHDOG=1')
    // SQLite trusts its memory as long as nobody else writes.
    change(production, 'UPDATE sweeps SET last_run_at = last_run_at + 1')
    truncateSync(production.databasePath, PAGE_BYTES)
    await until('it notices', () => alibi.output().includes('"event":"watchdog.unhealthy"'))
    const signs = listener.count('WATCHDOG=1')
    await signsTime()
    expect(listener.count('WATCHDOG=1')).toBe(signs)
  })

  test('that it lives while another process keeps its database locked', async () => {
    await using production = await openProduction()
    const { listener } = await startSupervised(production)
    using _ = listener
    using __ = holdDatabase(production)
    const signs = listener.count('WATCHDOG=1')
    await listener.heard('WATCHDOG=1', signs + 5)
  })

  test('nothing of life when the watchdog is meant for another process', async () => {
    await using production = await openProduction()
    const { listener, alibi } = await startSupervised(production, { WATCHDOG_PID: '1' })
    using _ = listener
    await listener.heard('READY=1')
    await alibi.stop()
    expect(listener.count('WATCHDOG=1')).toBe(0)
  })
})

test('a service that nobody listens to serves all the same, and its log says so once', async () => {
  await using production = await openProduction()
  const name = join(production.folder, 'nobody')
  const env = { ...production.settings, NOTIFY_SOCKET: name, WATCHDOG_USEC }
  const alibi = await production.start({ env })
  await until('its log says so', () => alibi.output().includes('"event":"systemd.notify_failed"'))
  await signsTime()
  expect((await client(alibi.url).get('/ready')).status).toBe(200)
  expect(alibi.output().match(/"event":"systemd.notify_failed"/g)).toHaveLength(1)
})

/** Long enough for five signs of life: nothing tells that none has come. */
const signsTime = () => Bun.sleep(5 * SIGN_EVERY_MS)

/** One letter of proc(5): T for a process that a signal has stopped. */
async function stateOf(pid: number): Promise<string | undefined> {
  const stat = await Bun.file(`/proc/${pid}/stat`).text()
  return /\) (\w) /.exec(stat)?.[1]
}
