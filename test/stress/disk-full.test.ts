import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openProduction, type Production } from '../support/executable/production.ts'
import { inspectKilled } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'
import { client } from '../support/http/client.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { addRows } from '../support/stores/sold-database.ts'
import { milliseconds, printFigures, tally } from '../support/stress/figures.ts'
import { mountSmallDisk } from '../support/stress/full-disk.ts'
import {
  loggedEvents,
  openShop,
  readyStatus,
  type Shop,
  untilReady,
} from '../support/stress/shop.ts'

// The disk of the database is full while notifications come in and visitors ask for codes and payment pages.

const BUYERS = 40
const DISK_MEBIBYTES = 48
const VISITORS = 40
const ROWS_AT_ONCE = 20

type Answered = { readonly status: number; readonly isJson: boolean; readonly error: unknown }

/** Notifications, visitors and a reader all at once. */
async function askAll(production: Production, alibi: AlibiProcess, shop: Shop) {
  const http = client(alibi.url)
  const acknowledged: string[] = []
  const webhook: number[] = []
  const visitors: Answered[] = []
  const reads: number[] = []
  await Promise.all([
    ...shop.sessions.map(async ({ email, sessionId }) => {
      const status = await production.double.deliver(shop.pay(sessionId))
      webhook.push(status)
      if (status === 200) acknowledged.push(email)
    }),
    ...Array.from({ length: VISITORS }, async (_, number) => {
      const email = number % 2 === 0 ? `new-${number}@example.com` : 'reader@example.com'
      const answer = await http.post('/auth/verify-email', { email })
      const type = answer.headers.get('content-type') ?? ''
      visitors.push({
        status: answer.status,
        isJson: type.startsWith('application/json'),
        error: answer.body['error'],
      })
      reads.push((await http.get('/premium-reasons', shop.token)).status)
    }),
  ])
  return { acknowledged, webhook, visitors, reads }
}

/**
 * Has every write to come make the write-ahead log longer: SQLite writes it anew from its beginning now and then, and
 * then finds room in it for a while. It does not while there is a reader like the one that is returned.
 */
function useUpLog({ databasePath }: Production): Database {
  const reader = new Database(databasePath, { readonly: true })
  reader.run('BEGIN')
  reader.prepare('SELECT count(*) FROM log_outs').get()
  const length = () => statSync(`${databasePath}-wal`).size
  for (const before = length(); length() <= before; ) addRows(databasePath, ROWS_AT_ONCE)
  return reader
}

/** What has to hold while nothing can be stored, and after it can be again. */
async function expectPoliteness(
  name: string,
  { production, alibi, shop }: { production: Production; alibi: AlibiProcess; shop: Shop },
  { breakIt, mend }: { breakIt(): void; mend(): void },
): Promise<void> {
  const reader = useUpLog(production)
  breakIt()
  const seen = await askAll(production, alibi, shop)
  const noticed = await untilReady(alibi, 503)
  const health = (await fetch(`${alibi.url}/health`)).status
  mend()
  reader.close(true)
  const ready = await untilReady(alibi, 200)
  const resent = await production.double.deliverAll()
  const http = client(alibi.url)
  const later = await http.post('/auth/verify-email', { email: 'later@example.com' })
  const everybody = shop.sessions.map(({ email }) => email)
  const lost = await shop.withoutPremium(alibi, seen.acknowledged)

  const refused = seen.visitors.filter(({ status }) => status === 503)
  printFigures(
    name,
    `webhook ${tally(seen.webhook)}, visitors ${tally(seen.visitors.map(({ status }) => status))}, reads ${tally(seen.reads)}; ` +
      `${lost.length} acknowledged and lost; /ready 503 after ${milliseconds(noticed)}, 200 again ${milliseconds(ready)} after its end`,
  )
  expect(new Set(seen.webhook)).toEqual(new Set([503]))
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of refused) {
    expect(answer).toEqual({ status: 503, isJson: true, error: 'Temporarily unavailable' })
  }
  expect(seen.visitors.every(({ status }) => status === 503 || status === 200)).toBe(true)
  expect(new Set(seen.reads)).toEqual(new Set([200]))
  expect(health).toBe(200)
  expect(lost).toEqual([])
  expect(new Set(resent)).toEqual(new Set([200]))
  expect(later.status).toBe(200)
  expect(await shop.withoutPremium(alibi, everybody)).toEqual([])
  // The answer may be here before the line is.
  await until('it is said', () => loggedEvents(alibi).includes('info readiness.restored'))
  expect(loggedEvents(alibi).filter((line) => line.includes(' readiness.'))).toEqual([
    'warn readiness.lost',
    'info readiness.restored',
  ])
  await alibi.stop('SIGKILL')
  inspectKilled(production, ({ damage }) => expect(damage).toEqual([]))
}

test('on a full disk everything that stores is refused politely, and what was acknowledged is there', async () => {
  await using production = await openProduction()
  using disk = mountSmallDisk(production.state, DISK_MEBIBYTES)
  if (!disk) {
    process.stdout.write('not tested here: a full disk (mounting a small one takes root)\n')
    return
  }
  const alibi = await production.start()
  const shop = await openShop(production, alibi, BUYERS)
  const room = { breakIt: disk.fill, mend: disk.free }
  await expectPoliteness('full disk', { production, alibi, shop }, room)
})

test('files that may not grow are as bad as a full disk, and no worse', async () => {
  if (spawnSync('prlimit', ['--version']).error) {
    process.stdout.write('not tested here: a limit on the size of files (no prlimit)\n')
    return
  }
  await using production = await openProduction()
  const alibi = await production.start()
  const shop = await openShop(production, alibi, BUYERS)
  function limit(bytes: number | 'unlimited') {
    // The soft limit, which can be raised again.
    const { status } = spawnSync('prlimit', ['--pid', String(alibi.pid), `--fsize=${bytes}:`])
    expect(status).toBe(0)
  }
  await expectPoliteness(
    'files that may not grow',
    { production, alibi, shop },
    {
      breakIt: () => limit(statSync(`${production.databasePath}-wal`).size),
      mend: () => limit('unlimited'),
    },
  )
})

test('too little room is said before a commit fails', async () => {
  await using production = await openProduction()
  using disk = mountSmallDisk(production.state, 12)
  if (!disk) {
    process.stdout.write('not tested here: a disk with little room (mounting one takes root)\n')
    return
  }
  const alibi = await production.start()
  expect(await readyStatus(alibi)).toBe(503)
  await until('it is said', () =>
    /"event":"readiness\.lost".*the disk is full: 1[0-9] MiB left/.test(alibi.output()),
  )
  const answer = await client(alibi.url).post('/auth/verify-email', { email: 'a@example.com' })
  expect(answer.status).toBe(200)
})

test('a log on the full disk keeps nobody from being served, and goes on once there is room', async () => {
  await using production = await openProduction()
  const { executable, folder, settings, state } = production
  using disk = mountSmallDisk(state, DISK_MEBIBYTES)
  if (!disk) {
    process.stdout.write('not tested here: a log on a full disk (mounting one takes root)\n')
    return
  }
  const log = join(state, 'alibi.log')
  writeFileSync(log, '')
  const child = Bun.spawn(['sh', '-c', 'exec "$0" serve >"$1"', executable, log], {
    cwd: folder,
    env: { ...settings, PORT: '0', LOG_FORMAT: 'json' },
    stderr: 'pipe',
  })
  try {
    const lines = async () => (await Bun.file(log).text()).split('\n')
    let url: string | undefined
    await until('it serves', async () => {
      url = /"url":"([^"]+)"/.exec((await lines()).join('\n'))?.[1]
      return url !== undefined
    })
    disk.fill()
    const linesThen = (await lines()).length
    for (let asked = 0; asked < 200; asked++) {
      expect((await fetch(`${url}/languages`)).status).toBe(200)
    }
    const linesWhileFull = (await lines()).length - linesThen
    disk.free()
    expect((await fetch(`${url}/languages`)).status).toBe(200)
    await until('the log goes on', async () =>
      (await lines()).slice(linesThen).some((line) => line.endsWith('}')),
    )
    printFigures(
      'log on a full disk',
      `200 of 200 served, ${linesWhileFull} lines logged meanwhile`,
    )
    child.kill('SIGTERM')
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ''])
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
})
