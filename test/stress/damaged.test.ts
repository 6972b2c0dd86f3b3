import { expect, test } from 'bun:test'
import { copyFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { openProduction, type Production } from '../support/executable/production.ts'
import { change } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'
import { client } from '../support/http/client.ts'
import { spoilTable } from '../support/stores/database-faults.ts'
import { milliseconds, printFigures, tally } from '../support/stress/figures.ts'
import {
  loggedErrors,
  loggedEvents,
  openShop,
  readyStatus,
  untilReady,
} from '../support/stress/shop.ts'

// The database goes bad under a service that runs: a failing disk, a wrong hand.

const BUYERS = 20

/** Makes sure that the service reads again what it has read: SQLite trusts its memory as long as nobody else writes. */
function forget(production: Production): void {
  const beat =
    'INSERT INTO heartbeat (id, at) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET at = at + 1'
  change(production, beat)
}

type Fault = readonly [
  name: string,
  fault: (production: Production) => void,
  /** What a start says then. Null where it finds nothing wrong. */
  said: RegExp | null,
]

const TO_RESTORE = /is damaged, so put a backup back with "alibi restore FILE"/

const FAULTS: readonly Fault[] = [
  [
    'cut in half',
    (production) => {
      forget(production)
      const { size } = statSync(production.databasePath)
      truncateSync(production.databasePath, size / 2)
    },
    TO_RESTORE,
  ],
  [
    'overwritten in one page',
    (production) => {
      spoilTable(production.databasePath, 'purchases')
      forget(production)
    },
    TO_RESTORE,
  ],
  ['deleted', ({ databasePath }) => rmSync(databasePath), null],
  ['robbed of its log', ({ databasePath }) => rmSync(`${databasePath}-wal`), null],
  [
    'replaced by another one',
    ({ databasePath, folder }) => {
      copyFileSync(databasePath, join(folder, 'other.db'))
      renameSync(join(folder, 'other.db'), databasePath)
    },
    null,
  ],
]

test.each(FAULTS)(
  'a database that is %s takes no more, is said to be unusable, and serves again once a backup is back',
  async (name, fault, said) => {
    await using production = await openProduction()
    const before = await production.start()
    const shop = await openShop(production, before, BUYERS)
    // All of it is in the one file then.
    await before.stop()
    const backup = join(production.folder, 'backup.db')
    copyFileSync(production.databasePath, backup)
    const alibi = await production.start()
    expect(await readyStatus(alibi)).toBe(200)

    fault(production)
    const events = shop.sessions.map(({ sessionId }) => shop.pay(sessionId))
    const statuses: number[] = []
    for (const event of events) statuses.push(await production.double.deliver(event))
    const noticed = await untilReady(alibi, 503)
    expect(await production.double.deliver(events.at(-1)!)).toBe(503)
    expect((await client(alibi.url).get('/health')).status).toBe(200)
    const unnoticed = statuses.filter((status) => status === 200).length
    expect(new Set(statuses.slice(unnoticed))).toEqual(new Set([503]))
    const damage = said ? ['error database.damaged'] : []
    // The answer may be here before the line is.
    await until('it is said', () =>
      [...damage, 'warn readiness.lost'].every((line) => loggedEvents(alibi).includes(line)),
    )
    expect(loggedErrors(alibi)).toEqual(damage)
    await alibi.stop('SIGKILL')

    if (said) {
      const start = await production.run(['serve'], { PORT: '0', ...production.settings })
      expect(start).toMatchObject({ exitCode: 78, stdout: '' })
      expect(start.stderr).toMatch(said)
      expect(start.stderr.trimEnd()).not.toContain('\n')
    }
    const restored = await production.run(['restore', backup, '--yes'])
    expect(restored).toMatchObject({ exitCode: 0 })
    const again = await production.start()
    expect(await readyStatus(again)).toBe(200)
    for (const event of events) expect(await production.double.deliver(event)).toBe(200)
    const lost = await shop.withoutPremium(
      again,
      shop.sessions.map(({ email }) => email),
    )
    printFigures(
      `database ${name}`,
      `webhook ${tally(statuses)}; /ready 503 within ${milliseconds(noticed)} of the last; ` +
        `${lost.length} of ${BUYERS} payments missing after restore and redelivery`,
    )
    expect(lost).toEqual([])
  },
)
